import Core
import Curl
import Linux
import TransferRules

// `@inline(never)` keeps large values out of the frames that wait: see `Attempt`.

/// One of the connections of a download. Takes a share, requests it, validates the response, writes the body, and
/// repeats this until no share is left.
struct SegmentConnection: Sendable {
    let id: ConnectionID
    /// The source that it sends requests to.
    let source: SourceID
    let plan: SharedPlan
    let transfer: SegmentedTransfer
    /// nil for a body that is recorded only at its end.
    let window: FlushWindow?

    /// How a connection ended.
    indirect enum End: Sendable {
        /// No share is left that is worth a request.
        case idle
        /// A body of unknown length ended and is complete.
        case whole
        /// The response to a range request cannot be used. The stored bytes are unaffected.
        ///
        /// - Parameter isFirst: Whether it was the first response to the connection.
        case refused(ResponseDecision, isFirst: Bool)
        /// - Parameter afterBytes: The received bytes of the body.
        case broke(TransferFailure, afterBytes: Int64)
        /// The part file cannot be written, or the body is larger than allowed. No other connection can help.
        case failed(TransferFailure)
        /// All bytes arrived, but the file server did not confirm the end, so the file is not complete. If the bytes
        /// could be recorded, the next attempt continues with them.
        case unended(AttemptInterruption)
        /// The host admits no further request now.
        case deferred
        case stopped
    }

    /// - Parameter first: The transfer's first response, for the first share; nil for an additional connection.
    func run(_ first: AcceptedResponse?) async -> End {
        guard let first else { return await run(from: .goesOn(isOpen: plan.removeSpare(), isFirst: true)) }
        return await run(from: await begin(first))
    }

    @inline(never)
    private func run(from step: NextStep) async -> End {
        var nextStep = step
        while case .goesOn(let isOpen, let isFirst) = nextStep, transfer.isShareable, !Task.isCancelled,
            transfer.mayContinue(with: source)
        {
            guard let next = transfer.nextShare(for: id, isOpen: isOpen) else {
                if isOpen { plan.recordSpare() }
                return .idle
            }
            nextStep = await fetch(next, isOpen: isOpen, isFirst: isFirst)
        }
        if case .ends(let end) = nextStep { return end }
        return Task.isCancelled ? .stopped : .idle
    }

    /// The step after a share.
    private enum NextStep {
        /// - Parameters:
        ///   - isOpen: Whether the response was read to its end, so that the next request can reuse the connection.
        ///   - isFirst: Whether the connection has had no response yet.
        case goesOn(isOpen: Bool, isFirst: Bool = false)
        case ends(End)
    }

    /// An accepted response. It is a class to save memory, like ``SegmentedTransfer``.
    final class AcceptedResponse: Sendable {
        let exchange: Exchange
        let permit: HostPermit
        let acceptance: AcceptedBody
        let latency: Duration
        let authority: String
        let entry: LoggedRequest?
        /// Whether the server must confirm the end of the file after the last byte.
        let confirmsEnd: Bool
        /// Compares bytes that the response sends again; nil if there are none.
        let comparison: OverlapComparison?

        init(_ response: OriginClient.Response, _ acceptance: AcceptedBody, _ comparison: OverlapComparison? = nil) {
            self.comparison = comparison
            exchange = response.exchange
            permit = response.permit
            latency = response.latency
            authority = response.finalURL.authority
            entry = response.entry
            confirmsEnd = response.finalURL.abilities.confirmsEnd
            self.acceptance = acceptance
        }

        /// Ends the transfer without receiving the rest of the body.
        func discard() async {
            await exchange.discard()
            entry?.end(exchange.receivedBytes)
        }
    }

    private func begin(_ first: AcceptedResponse) async -> NextStep {
        guard let next = firstShare(first) else { return await giveUp(first) }
        return await receive(first, next, isFirst: true, isOpen: false)
    }

    @inline(never)
    private func giveUp(_ first: AcceptedResponse) async -> NextStep {
        await first.exchange.discard()
        first.entry?.end(first.exchange.receivedBytes, RequestRecord.givenUp)
        return .ends(.failed(.lostPart))
    }

    @inline(never)
    private func firstShare(_ first: AcceptedResponse) -> ShareAssignment? {
        guard let next = plan.firstShare(for: id), next.start == first.acceptance.writeOffset else { return nil }
        return next
    }

    private func fetch(_ next: ShareAssignment, isOpen: Bool, isFirst: Bool) async -> NextStep {
        switch await request(next, isFirst: isFirst) {
        case .accepted(let response): return await receive(response, next, isFirst: false, isOpen: isOpen)
        case .refused(let step): return step
        }
    }

    private enum Answer {
        case accepted(AcceptedResponse)
        case refused(NextStep)
    }

    /// Requests a share.
    @inline(never)
    private func request(_ next: ShareAssignment, isFirst: Bool) async -> Answer {
        let state = transfer.state(of: source)
        let request = transfer.request(for: next, state)
        let response: OriginClient.Response?
        do {
            response = try await transfer.requests.response(for: id, received: plan.receivedBytes) {
                [transfer, source] () async throws(AttemptInterruption) in
                try await transfer.send(request, source)
            }
        } catch {
            plan.returnShare(next, of: id)
            if case .source(.failed) = error { transfer.sources.recordFailure(source) }
            return .refused(.ends(End(ofRequest: error)))
        }
        guard let response else {
            plan.returnShare(next, of: id)
            transfer.sources.recordSlow(source)
            return .refused(.goesOn(isOpen: false, isFirst: isFirst))
        }
        let decision = transfer.validate(response, of: source, request: request, state)
        guard case .accept(let acceptance) = decision, acceptance.writeOffset == next.start,
            acceptance.overlapToCompare == 0
        else {
            await response.discard()
            plan.returnShare(next, of: id)
            // The next request uses the other condition.
            if decision == .requestWithOtherCondition { return .refused(.goesOn(isOpen: false)) }
            transfer.sources.recordRefusal(source, decision)
            return .refused(.ends(.refused(decision, isFirst: isFirst)))
        }
        transfer.sources.recordAccepted(response, of: source, total: acceptance.total)
        return .accepted(AcceptedResponse(response, acceptance))
    }

    /// If the share is split off another connection, that one keeps its bytes until the first byte arrives here: an
    /// origin may accept a request and send nothing.
    private func receive(
        _ response: AcceptedResponse,
        _ next: ShareAssignment,
        isFirst: Bool,
        isOpen: Bool
    ) async -> NextStep {
        let writer = beginBody(response, next, isOpen: isOpen)
        let ended = await response.exchange.result(into: response.comparison?.before(writer) ?? writer, response.entry)
        return endBody(response, next, writer, ended, isFirst: isFirst)
    }

    @inline(never)
    private func beginBody(_ response: AcceptedResponse, _ next: ShareAssignment, isOpen: Bool) -> SegmentWriter {
        let bodyEnd = response.acceptance.expectedLength.map { response.acceptance.bodyOffset + $0 } ?? .max
        let throttle = transfer.context.throttle(for: response.exchange, from: response.authority)
        let writer = transfer.writer(
            for: id,
            next,
            from: next.start,
            limit: bodyEnd,
            throttle: throttle,
            window: window
        )
        plan.attach(id, writer, response.exchange, ResponseLatency(response.latency, isOpen: isOpen))
        transfer.sources.begin(id, source, at: response.authority, response.exchange)
        return writer
    }

    /// Decides what follows the end of a body.
    @inline(never)
    private func endBody(
        _ response: AcceptedResponse,
        _ next: ShareAssignment,
        _ writer: SegmentWriter,
        _ ended: Result<TransferEnd, CurlError>,
        isFirst: Bool
    ) -> NextStep {
        let (hasBegun, isFull, failure) = (writer.hasBegun, writer.isFull, writer.error)
        let isLeaving = transfer.sources.end(id, hasBegun: hasBegun)
        if !hasBegun { plan.returnShare(next, of: id) }
        plan.release(id)
        if let failure { return .ends(.failed(failure)) }
        if response.comparison?.hasDifference == true {
            return .ends(.refused(.restart(.overlapDiffers, withThisBody: nil), isFirst: isFirst))
        }
        if response.confirmsEnd, let end = End(ofUnended: ended, isFull: isFull) { return .ends(end) }
        if Task.isCancelled { return .ends(.stopped) }
        // The connection was closed for another download, so it must send no further request.
        if isLeaving { return .ends(.idle) }
        switch ended {
        case .success where plan.isOpenEnded: return .ends(.whole)
        // An origin may send less than the requested range. The rest is requested next.
        case .success where hasBegun || isFirst: return .goesOn(isOpen: true)
        case .success: return .ends(.broke(TransferFailure(.nothingCame), afterBytes: 0))
        case .failure where isFull: return .goesOn(isOpen: false)
        case .failure(let error):
            // The transfer was stopped because it was slow or late. Other connections or a new request fetch the rest.
            if error.code == .aborted { transfer.sources.recordSlow(source) }
            if error.code == .aborted || (error.code == .sinkStopped && !hasBegun) { return .goesOn(isOpen: false) }
            let bytes = writer.writtenEnd - next.start
            if bytes < ConnectionCounts.leastProgress { transfer.sources.recordFailure(source) }
            let failure = TransferFailure(body: error, from: response.authority)
            response.permit.record(failure, at: .body, afterBytes: bytes)
            return .ends(.broke(failure, afterBytes: bytes))
        }
    }
}

extension SegmentConnection.End {
    /// The end of a complete body without the server's confirmation; nil if the server confirmed it, or bytes are
    /// missing.
    init?(ofUnended ended: Result<TransferEnd, CurlError>, isFull: Bool) {
        guard isFull, case .failure(let error) = ended else { return nil }
        self = .unended(.interrupted(by: error))
    }

    init(ofRequest interruption: AttemptInterruption) {
        switch interruption {
        case .source(.failed(let failure)): self = .broke(failure, afterBytes: 0)
        case .source(.deferred): self = .deferred
        case .unrecorded, .stopped, .lost: self = .stopped
        }
    }
}

extension DownloadError {
    fileprivate static let nothingCame = Self(.badResponse, message: "The origin sent no bytes of a range.")
}
