import Core
import Curl
import HTTPFields
import Linux
import TransferRules

/// The body of an answer: taken, flushed on the way, and judged by its end.
extension Attempt {
    /// A body up to this size is taken whole before anything is flushed.
    static let smallBytes: Int64 = 1 << 20

    func handle(
        _ answer: OriginClient.Answer,
        _ acceptance: AcceptedBody,
        startsFromZero: Bool
    ) async throws(AttemptInterruption) -> Step {
        do throws(AttemptInterruption) {
            try check(total: acceptance.total)
            try await requireQuota(for: acceptance.total)
            if startsFromZero { await readDescription(answer, total: acceptance.total) }
            begin(answer, acceptance, startsFromZero: startsFromZero)
            if startsFromZero, let length = memoryLength(acceptance) {
                return try await receiveInMemory(answer, acceptance, length: length)
            }
            let part = try await preparedPart(for: acceptance, startsFromZero: startsFromZero)
            return try await receive(answer, acceptance, into: part)
        } catch {
            await answer.discard()
            throw error
        }
    }

    /// Notes what the bytes to come are of.
    private func begin(_ answer: OriginClient.Answer, _ acceptance: AcceptedBody, startsFromZero: Bool) {
        if startsFromZero || lead == representation || representation == nil && stored.durableBytes == 0 {
            source = Download.Source(answer, validator: acceptance.validator, continuing: startsFromZero ? nil : source)
            source.digests = (metalink?.digests ?? []).filled(from: carriedDigests).filled(from: source.digests)
            stored.validator = acceptance.validator
            representation = lead
            if startsFromZero { addDuplicates(answer, acceptance.validator) }
            source.url = sources.url(of: lead).text
            (source.mirrors, source.isMetalink) = (named, isMetalinkRead)
            if let name = metalink?.name.flatMap(FileName.suggested(byMetalink:)) { source.suggestedName = name.value }
        } else {
            // What the file is was said by another source, and goes on to hold.
            source.digests = source.digests.filled(from: answer.response.digests)
        }
        sources.recordAccepted(answer, of: lead, total: acceptance.total)
        if startsFromZero { (segments, runs) = ([], []) } else { followDigests() }
        meter.begin(at: stored.durableBytes, total: acceptance.total)
    }

    func check(total: Int64?) throws(AttemptInterruption) {
        guard let total else { return }
        if let expected = expected.sizeBytes, expected != total {
            throw .failed(
                DownloadError(.sizeMismatch, message: "The origin's file has \(total) bytes, not \(expected).")
            )
        }
        if let limit = engine.settings.maxBytes(of: download.request), total > limit {
            throw .failed(DownloadError(.tooLarge, message: "The file has \(total) bytes, more than \(limit)."))
        }
    }

    /// Takes no byte of a file that the session has no room for.
    func requireQuota(for total: Int64?) async throws(AttemptInterruption) {
        guard let total else { return }
        let isAdmitted = try await recorded { FencedResult.done(try await checkpointSink.admits(total: total)) }
        guard isAdmitted else { throw .failed(.quotaExceeded) }
    }

    private func receive(
        _ answer: OriginClient.Answer,
        _ acceptance: AcceptedBody,
        into part: PartFile
    ) async throws(AttemptInterruption) -> Step {
        let transfer = transfer(of: acceptance, into: part)
        let comparison = try await comparison(for: acceptance, part)
        let first = SegmentConnection.AcceptedResponse(answer, acceptance, comparison)
        if isFile, acceptance.writeOffset > 0, fileTrust != .full {
            return try finish(await transfer.runTail(first), transfer, acceptance)
        }
        let isSmall = acceptance.expectedLength.map { $0 <= Self.smallBytes } ?? false
        let ending = isSmall && !transfer.isShareable ? await transfer.runSmall(first) : await transfer.run(first)
        if comparison?.hasDifference == true {
            try await restart(RestartReason.overlapDiffers.rawValue, isChange: RestartReason.overlapDiffers.isChange)
            return .requestAgain
        }
        return try finish(ending, transfer, acceptance)
    }

    /// Reads the bytes at hand that come a second time.
    private func comparison(
        for acceptance: AcceptedBody,
        _ part: PartFile
    ) async throws(AttemptInterruption) -> OverlapComparison? {
        let count = Int(acceptance.overlapToCompare)
        guard count > 0 else { return nil }
        let bytes = try await onDisk { () async throws(SystemError) in
            try await engine.pool.run { () throws(SystemError) in
                var bytes = [UInt8](repeating: 0, count: count)
                return try part.file.read(into: &bytes, at: acceptance.bodyOffset) == count ? bytes : nil
            }
        }
        guard let bytes else { throw .failed(.lostPart) }
        return OverlapComparison(bytes)
    }

    func transfer(of acceptance: AcceptedBody, into part: PartFile) -> SegmentedTransfer {
        let plan = SegmentPlan(total: acceptance.total ?? .max, stored: segments)
        var stored = stored
        stored.validator?.total = acceptance.total
        return SegmentedTransfer(
            engine: engine,
            origin: origin,
            download: download,
            part: part,
            checkpointSink: checkpointSink,
            meter: meter,
            digester: digester,
            stored: stored,
            source: source,
            generation: generation,
            isRefetching: isRefetching,
            plan: SharedPlan(plan, isOpenEnded: acceptance.total == nil, runs: runs, time: engine.time),
            sources: sources,
            lead: lead,
            representation: representation,
            expectedDigests: expected.digests,
            ceiling: mayShare(acceptance) ? engine.settings.connections(of: download.request) : 1,
            rate: rate
        )
    }

    /// Whether a range can be proved to be of the same file, and enough is missing to be worth a second connection.
    /// What came wrong once comes over one, so that nothing is put together.
    func mayShare(_ acceptance: AcceptedBody) -> Bool {
        guard let total = acceptance.total, mismatches == 0, !isFile else { return false }
        // Until the bytes that come twice are equal, nothing proves that the rest is of the same file.
        guard acceptance.overlapToCompare == 0 else { return false }
        let hasMirrors = sources.count > 1
        guard hasMirrors || !stored.hostHasNoRanges else { return false }
        switch acceptance.validator.strength {
        case .entityTag, .date: break
        case .dateBesideWeakTag, .none:
            guard hasMirrors, agreement == .digest else { return false }
        }
        return total - stored.durableBytes >= 2 * engine.settings.ramp.minimumShare
    }

    /// Says what the end of a transfer means. Good bytes of an unfinished one are kept.
    func finish(
        _ ending: SegmentedTransfer.Outcome,
        _ transfer: SegmentedTransfer,
        _ acceptance: AcceptedBody
    ) throws(AttemptInterruption) -> Step {
        // However it ended: what was recorded on the way is progress.
        update(recorded: transfer.plan.recordedSegments)
        unrecordedBlocks = transfer.plan.unrecordedBlocks
        runs = transfer.plan.runs
        switch ending {
        case .complete: return try finishWhole(transfer.plan.written.contiguousEnd, acceptance)
        case .incomplete: return .requestAgain
        case .interrupted(let interruption): throw interruption
        }
    }

    func finishWhole(_ size: Int64, _ acceptance: AcceptedBody) throws(AttemptInterruption) -> Step {
        try prove(size, acceptance)
        stored.durableBytes = size
        stored.validator?.total = size
        return .complete
    }

    /// A body that was cut cannot always be told from a whole one. Then something else must speak for it.
    private func prove(_ size: Int64, _ acceptance: AcceptedBody) throws(AttemptInterruption) {
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

extension OriginClient.Answer {
    /// Takes the body; its end as a value.
    func result(into sink: any BodySink) async -> Result<TransferEnd, CurlError> {
        await exchange.result(into: sink, entry)
    }
}

extension Exchange {
    /// Takes the body; its end as a value.
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
