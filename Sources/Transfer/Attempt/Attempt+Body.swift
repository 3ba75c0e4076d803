import Core
import Curl
import HTTPFields
import Linux
import TransferRules

// `@inline(never)` keeps large values out of the frames that wait: see `Attempt`.

/// Receives the body of a response, flushes it, and checks how it ended.
extension Attempt {
    /// The largest body, in bytes, that is received completely before it is flushed.
    static let smallBytes: Int64 = 1 << 20

    /// Prepares the transfer of a body into the part file.
    ///
    /// - Returns: nil for a body that is kept in memory.
    @inline(never)
    func prepare(
        _ response: OriginClient.Response,
        _ acceptance: AcceptedBody,
        fromStart: Bool
    ) async throws(AttemptInterruption) -> BodyTransfer? {
        try check(total: acceptance.total)
        if let total = acceptance.total { try await requireQuota(for: total) }
        if fromStart, let reference = description(namedBy: response) {
            await readDescription(at: reference, namedBy: response, total: acceptance.total)
        }
        begin(response, acceptance, fromStart: fromStart)
        if fromStart, fitsMemory(acceptance) { return nil }
        let storage = try await preparedPart(for: acceptance, fromStart: fromStart)
        let comparison = acceptance.overlapToCompare > 0 ? try await comparison(for: acceptance, storage.part) : nil
        return bodyTransfer(of: response, acceptance, into: storage, comparison)
    }

    @inline(never)
    private func bodyTransfer(
        of response: OriginClient.Response,
        _ acceptance: AcceptedBody,
        into storage: any PartStorage,
        _ comparison: OverlapComparison?
    ) -> BodyTransfer {
        let transfer = transfer(of: acceptance, into: storage)
        let isTail = acceptance.writeOffset > 0 && state.rules.offsetTrust(hasDigest: hasDigest) != .full
        let isSmall = acceptance.expectedLength.map { $0 <= Self.smallBytes } ?? false
        return BodyTransfer(
            transfer,
            SegmentConnection.AcceptedResponse(response, acceptance, comparison),
            isTail ? .tail : isSmall && !transfer.isShareable ? .small : .segments
        )
    }

    /// Records which file the following bytes belong to.
    @inline(never)
    private func begin(_ response: OriginClient.Response, _ acceptance: AcceptedBody, fromStart: Bool) {
        let lead = state.lead
        if state.bodyBegins(acceptance, fromStart: fromStart) {
            let earlier = fromStart ? nil : file.source
            let source = Download.Source(response, validator: acceptance.validator, continuing: earlier)
            file.replaceSource(with: source, at: sources.url(of: lead))
            if fromStart { addDuplicates(response, acceptance.validator) }
        } else {
            file.addDigests(response.metadata.digests)
        }
        sources.recordAccepted(response, of: lead, total: acceptance.total)
        if fromStart { work.runs = [] } else { followDigests() }
        meter.begin(at: state.stored.durableBytes, total: acceptance.total)
    }

    @inline(never)
    func check(total: Int64?) throws(AttemptInterruption) {
        guard let total else { return }
        if let expected = expected.sizeBytes, expected != total {
            throw .failed(
                DownloadError(.sizeMismatch, message: "The origin's file has \(total) bytes, not \(expected).")
            )
        }
        if let limit = context.settings.maxBytes(of: download.request), total > limit {
            throw .failed(DownloadError(.tooLarge, message: "The file has \(total) bytes, more than \(limit)."))
        }
    }

    /// - Throws: `quotaExceeded` if the session's quota has no room for the file.
    @inline(never)
    func requireQuota(for total: Int64) async throws(AttemptInterruption) {
        let isAdmitted = try await mappingSinkErrors {
            FencedResult.done(try await checkpointSink.admits(total: total))
        }
        guard isAdmitted else { throw .failed(.quotaExceeded) }
    }

    /// Reads the stored bytes that the response sends again, to compare the two.
    @inline(never)
    private func comparison(
        for acceptance: AcceptedBody,
        _ part: PartFile
    ) async throws(AttemptInterruption) -> OverlapComparison {
        let count = Int(acceptance.overlapToCompare)
        let bytes = try await mappingDiskErrors { () async throws(SystemError) in
            try await partFolder.pool.run { () throws(SystemError) in
                var bytes = [UInt8](repeating: 0, count: count)
                return try part.file.read(into: &bytes, at: acceptance.bodyOffset) == count ? bytes : nil
            }
        }
        guard let bytes else { throw .failed(.lostPart) }
        return OverlapComparison(bytes)
    }

    func transfer(of acceptance: AcceptedBody, into storage: any PartStorage) -> SegmentedTransfer {
        let plan = SegmentPlan(total: acceptance.total ?? .max, stored: state.segments)
        var stored = state.stored
        stored.validator?.total = acceptance.total
        let maySegment = state.maySegment(
            acceptance,
            hasMirrors: sources.count > 1,
            hasDigest: hasDigest,
            leastBytes: context.settings.ramp.leastDivisible
        )
        let file = SegmentedFile(
            storage: storage,
            digester: work.digester,
            generation: generation,
            source: file.source,
            stored: stored,
            digests: expected.digests,
            isRefetching: state.isRefetching,
            lead: state.lead,
            representation: state.representation,
            ceiling: maySegment ? context.settings.connections(of: download.request) : 1
        )
        let shared = SharedPlan(plan, isOpenEnded: acceptance.total == nil, runs: work.runs, time: context.time)
        meter.show(shared)
        return SegmentedTransfer(context, file, shared)
    }

    func finish(
        _ body: BodyTransfer,
        _ isComplete: Result<Bool, AttemptInterruption>
    ) throws(AttemptInterruption) -> BodyEnd {
        if body.first.comparison?.hasDifference == true { return .overlapDiffers }
        return try finish(isComplete, body.transfer, body.first.acceptance)
    }

    /// Chooses the next step after a transfer. The recorded bytes of an unfinished transfer are kept.
    ///
    /// - Parameter ended: Whether every byte was received, or why the transfer ended.
    func finish(
        _ ended: Result<Bool, AttemptInterruption>,
        _ transfer: SegmentedTransfer,
        _ acceptance: AcceptedBody
    ) throws(AttemptInterruption) -> BodyEnd {
        // Bytes recorded during the transfer count as progress, however the transfer ended.
        state.record(transfer.plan.recordedSegments)
        work.unrecordedBlocks = transfer.plan.unrecordedBlocks
        work.runs = transfer.plan.runs
        guard try ended.get() else { return .incomplete }
        return try whole(transfer.plan.written.contiguousEnd, acceptance)
    }

    func whole(_ size: Int64, _ acceptance: AcceptedBody) throws(AttemptInterruption) -> BodyEnd {
        try requireProvenLength(size, acceptance)
        return .whole(size: size)
    }

    /// A truncated body can look complete. The framing, the size or a digest must prove the length.
    private func requireProvenLength(_ size: Int64, _ acceptance: AcceptedBody) throws(AttemptInterruption) {
        try check(total: size)
        let expected = expected
        let isProven =
            acceptance.isLengthProvable || expected.sizeBytes == size || !expected.digests.isEmpty
            || download.request.acceptsUnverifiedLength
        guard isProven else {
            throw .failed(
                DownloadError(
                    .lengthUnverified,
                    message: "Nothing proves that the body is complete after \(size) bytes."
                )
            )
        }
    }
}

/// The transfer of the rest of a file into its part file, which begins with an accepted response.
struct BodyTransfer {
    enum Kind {
        /// Recorded while it runs, over one connection or several.
        case segments
        /// Recorded only at its end.
        case small
        /// From a start offset that is not proved (``SegmentedTransfer/runTail(_:)``).
        case tail
    }

    let transfer: SegmentedTransfer
    let first: SegmentConnection.AcceptedResponse
    let kind: Kind

    init(_ transfer: SegmentedTransfer, _ first: SegmentConnection.AcceptedResponse, _ kind: Kind) {
        self.transfer = transfer
        self.first = first
        self.kind = kind
    }

    /// Whether every byte was received, or why the transfer ended.
    @inline(never)
    func result() async -> Result<Bool, AttemptInterruption> {
        do throws(AttemptInterruption) {
            switch kind {
            case .segments: return .success(try await transfer.run(first))
            case .small: return .success(try await transfer.runSmall(first))
            case .tail: return .success(try await transfer.runTail(first))
            }
        } catch {
            return .failure(error)
        }
    }
}

extension OriginClient.Response {
    /// Receives the body. Returns an error as a value instead of throwing it.
    func result(into sink: any BodySink) async -> Result<TransferEnd, CurlError> {
        await exchange.result(into: sink, entry)
    }
}

extension Exchange {
    /// Receives the body and records its end in the log. Returns an error as a value instead of throwing it.
    func result(into sink: any BodySink, _ entry: LoggedRequest?) async -> Result<TransferEnd, CurlError> {
        let ended: Result<TransferEnd, CurlError>
        do {
            ended = .success(try await receive(into: sink))
        } catch {
            ended = .failure(error)
        }
        entry?.end(receivedBytes, ended)
        return ended
    }
}
