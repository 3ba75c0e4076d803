import Core
import Curl
import HTTPFields
import Linux
import TransferRules

/// Fetches the missing bytes of a file into its part file, over one connection or several.
///
/// It begins with an accepted response. Further connections are opened only beside it, for bytes that the validator
/// proves to be of the same file, and as long as they make the download faster.
///
/// Each of the `run` methods returns whether every byte is stored. If some are missing and nothing failed, the next
/// request asks for them. Bytes that were recorded meanwhile are progress, however it ends
/// (``SharedPlan/recordedSegments``).
///
/// It is a class for the sake of memory: each task of each connection would hold several copies of a value.
final class SegmentedTransfer: Sendable {
    let context: AttemptContext
    let file: SegmentedFile
    let plan: SharedPlan
    let requests: PendingRequests

    init(_ context: AttemptContext, _ file: SegmentedFile, _ plan: SharedPlan) {
        self.context = context
        self.file = file
        self.plan = plan
        requests = PendingRequests(time: context.time)
    }

    var settings: EngineSettings { context.settings }
    var sources: SourceTable { context.sources }
    var time: TimeSource { context.time }
    var isShareable: Bool { file.ceiling > 1 }

    /// An event for the coordinator of the connections.
    enum CoordinatorEvent: Sendable {
        case ended(SegmentConnection.End, SourceID)
        case flushEnded(AttemptInterruption?)
        case tick
    }

    /// Takes a small body, which is recorded at its end alone.
    func runSmall(_ first: SegmentConnection.AcceptedResponse) async throws(AttemptInterruption) -> Bool {
        try await finish(receiveOverOneConnection(first))
    }

    /// Fetches the rest of a file from a server whose start position is not proved. Nothing is recorded before the end
    /// has proved it.
    func runTail(_ first: SegmentConnection.AcceptedResponse) async throws(AttemptInterruption) -> Bool {
        let connectionCounts = await receiveOverOneConnection(first)
        if let interruption = connectionCounts.interruption ?? connectionCounts.failure { throw interruption }
        guard plan.isComplete else { return false }
        // Flushed now, so that the tail is not fetched again if the server cannot be asked once more.
        try await flusher(nil).flush()
        return true
    }

    /// Receives a body over one connection, without a checkpoint before its end.
    private func receiveOverOneConnection(_ first: SegmentConnection.AcceptedResponse) async -> ConnectionCounts {
        let id = plan.makeConnection()
        let connection = SegmentConnection(id: id, source: file.lead, plan: plan, transfer: self, window: nil)
        var connectionCounts = ConnectionCounts(time: time)
        connectionCounts.recordOpened()
        connectionCounts.record(await connection.run(first))
        return connectionCounts
    }

    /// Stores the bytes of a body that was kept in memory.
    ///
    /// - Parameter unended: Where all of it came, and not the word that this was all.
    func write(
        _ bytes: [UInt8],
        of authority: String,
        endedBy ended: Result<TransferEnd, CurlError>,
        _ unended: SegmentConnection.End?
    ) async throws(AttemptInterruption) -> Bool {
        let id = plan.makeConnection()
        var failure: TransferFailure?
        // An empty file has no share.
        if case .fetch(let share)? = plan.firstShare(for: id) {
            let writer = writer(for: id, from: share.start, limit: share.end, throttle: nil, window: nil) {
                $0(share.end)
            }
            // The array outlives the call.
            await context.disk.pool.run { _ = unsafe writer.write(bytes.span.bytes) }
            failure = writer.error
            plan.release(id)
        }
        var connectionCounts = ConnectionCounts(time: time)
        connectionCounts.recordOpened()
        switch (failure, ended) {
        case (let failure?, _): connectionCounts.record(.failed(failure))
        case (nil, .success): connectionCounts.record(.idle)
        case (nil, .failure) where Task.isCancelled: connectionCounts.record(.stopped)
        case (nil, .failure(let error)):
            connectionCounts.record(
                unended ?? .broke(TransferFailure(body: error, from: authority), afterBytes: Int64(bytes.count))
            )
        }
        return try await finish(connectionCounts)
    }

    func run(_ first: SegmentConnection.AcceptedResponse) async throws(AttemptInterruption) -> Bool {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let window = FlushWindow(size: settings.flushBytes, recorded: plan.recordedSegments) { wake.yield() }
        context.meter.show(window)
        let connectionCounts = await withTaskGroup(of: CoordinatorEvent.self) { group in
            var connectionCounts = ConnectionCounts(rules: settings.ramp, time: time)
            group.addTask { [flusher = flusher(window)] in .flushEnded(await flusher.run(wakes)) }
            group.addTask { [time, interval = settings.flushInterval] in
                while (try? await time.sleep(for: interval)) != nil { wake.yield() }
                return .tick
            }
            sources.recordOpened(file.lead)
            open(file.lead, first, &connectionCounts, &group, window)
            if isShareable { addTick(&group, connectionCounts) }
            while connectionCounts.active > 0, let coordinatorEvent = await group.next() {
                await handle(coordinatorEvent, &connectionCounts, &group, window)
            }
            wake.finish()
            group.cancelAll()
            for await coordinatorEvent in group {
                if case .flushEnded(let interruption?) = coordinatorEvent { connectionCounts.stop(interruption) }
            }
            return connectionCounts
        }
        return try await finish(connectionCounts)
    }
}

// MARK: - The coordinator

extension SegmentedTransfer {
    private func handle(
        _ coordinatorEvent: CoordinatorEvent,
        _ connectionCounts: inout ConnectionCounts,
        _ group: inout TaskGroup<CoordinatorEvent>,
        _ window: FlushWindow
    ) async {
        switch coordinatorEvent {
        case .flushEnded(let interruption):
            if let interruption { connectionCounts.stop(interruption) }
        case .tick:
            guard isShareable, !connectionCounts.isStopping, !Task.isCancelled else { break }
            let connectionLimit = hostConnectionLimit
            let reading = plan.reading(ceiling: min(file.ceiling, connectionLimit))
            // Before connections are closed, so that they are not replaced.
            plan.setLimit(min(connectionCounts.desired, max(connectionLimit, 1)))
            await yieldConnections()
            if connectionLimit < file.ceiling, connectionCounts.active >= connectionLimit { recordDemand() }
            // If a rate limit holds the connections back, none is slow, and one more would not help.
            guard !context.limiter.isHoldingBack(context.rate) else {
                connectionCounts.forgetMeasurement()
                addTick(&group, connectionCounts)
                break
            }
            // The same while the disk holds them back, and until the rates are measured again.
            if !window.wasFull(after: time.elapsed - ConnectionPace.window) {
                for exchange in plan.slowExchanges() { await exchange.discard() }
                requests.cancelOverdue(reading)
            }
            let missing = connectionCounts.missing(reading)
            plan.setLimit(connectionCounts.desired)
            openMissing(missing, &connectionCounts, &group, window)
            addTick(&group, connectionCounts)
        case .ended(let end, let source):
            connectionCounts.record(end, isAlone: isAlone(source))
            sources.recordClosed(source)
            if case .broke = end, isShareable, connectionCounts.active > 0, !connectionCounts.isStopping,
                !Task.isCancelled
            {
                // A broken connection is replaced before the next tick, while the others work.
                openMissing(connectionCounts.missing, &connectionCounts, &group, window)
            }
            if case .refused(let decision, let isFirst) = end { await remember(decision, of: source, isFirst: isFirst) }
        }
        // Connections that still wait for a response are not needed any more.
        if isShareable, plan.isComplete { connectionCounts.stop(.stopped) }
        if connectionCounts.isStopping { group.cancelAll() }
    }

    /// Records for other downloads what the refusal of a further connection says about its host.
    private func remember(_ decision: ResponseDecision, of source: SourceID, isFirst: Bool) async {
        switch decision {
        case .collapseToSingleStream, .requestWithoutRange(_, flagsHost: true):
            // A hint: losing it costs one more refused response. The next request to the host uses this name.
            try? await context.checkpointSink.recordHostRefusesRanges(sources.url(of: source).authority)
        case .fail(let error) where error.httpStatus == 403,
            .waitForCredentials(let error) where error.httpStatus == 403:
            let working = sources.connections(of: source)
            for authority in sources.authorities(of: source) {
                context.hosts.recordForbidden(by: authority, beside: working, isFirstRequest: isFirst)
            }
        default: break
        }
    }

    private func openMissing(
        _ missing: Int,
        _ connectionCounts: inout ConnectionCounts,
        _ group: inout TaskGroup<CoordinatorEvent>,
        _ window: FlushWindow
    ) {
        guard missing > 0, plan.hasShare(minimum: settings.ramp.minimumShare) else { return }
        let taken = chooseSources(missing)
        if taken.count < missing {
            connectionCounts.recordHostWait()
            recordDemand(for: missing - taken.count)
        }
        for source in taken { open(source, nil, &connectionCounts, &group, window) }
    }

    private func open(
        _ source: SourceID,
        _ first: SegmentConnection.AcceptedResponse?,
        _ connectionCounts: inout ConnectionCounts,
        _ group: inout TaskGroup<CoordinatorEvent>,
        _ window: FlushWindow
    ) {
        connectionCounts.recordOpened()
        let id = plan.makeConnection()
        let connection = SegmentConnection(id: id, source: source, plan: plan, transfer: self, window: window)
        group.addTask { .ended(await connection.run(first), source) }
    }

    private func addTick(_ group: inout TaskGroup<CoordinatorEvent>, _ connectionCounts: ConnectionCounts) {
        let interval = connectionCounts.tickInterval
        group.addTask { [time] in
            try? await time.sleep(for: interval)
            return .tick
        }
    }

    /// Makes durable and records what came last, unless the file is whole: then the end of the download does.
    private func finish(_ connectionCounts: ConnectionCounts) async throws(AttemptInterruption) -> Bool {
        let isComplete = !connectionCounts.isUnended && (connectionCounts.isWhole || plan.isComplete)
        switch connectionCounts.interruption {
        case .lost?:
            // Usually a pause: the bytes on the disk are still recorded.
            _ = try? await flusher(nil).flush()
            throw .lost
        case .unrecorded(let error)?: throw .unrecorded(error)
        // If every byte is here, a stop counts as completion.
        case .stopped? where isComplete, nil where isComplete: return true
        case .stopped?, .failed?, .deferred?, nil: break
        }
        try await flusher(nil).flush()
        if let interruption = connectionCounts.interruption ?? connectionCounts.failure { throw interruption }
        return false
    }
}

/// What a segmented transfer is of: the part file, and what is known of the file that goes into it.
struct SegmentedFile: Sendable {
    let part: PartFile
    let digester: Digester?
    let generation: Int
    let source: Download.Source
    /// What later responses are validated against: the validator of the first one among it.
    let stored: StoredState
    /// Of the whole file, as far as they are known.
    let digests: [Digest]
    let isRefetching: Bool
    /// The source of the first response.
    let lead: SourceID
    /// The source whose response described the file.
    let representation: SourceID?
    /// The most connections; with 1 no range is asked for.
    let ceiling: Int
}
