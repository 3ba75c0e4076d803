import Core
import Curl
import HTTPFields
import Linux
import TransferRules

// `@inline(never)` keeps large values out of the frames that wait: see `Attempt`.

/// Fetches the missing bytes of a file into its part file, over one connection or several.
///
/// It starts with an accepted response. Further connections are opened only while they make the download faster, and
/// only for bytes that the validator proves to be of the same file.
///
/// Each of the `run` methods returns whether every byte is stored. If bytes are missing and nothing failed, the next
/// request fetches them. Recorded bytes count as progress, however the transfer ended
/// (``SharedPlan/recordedSegments``).
///
/// A class saves memory: every task of every connection would store several copies of a struct.
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

    /// Receives a small body, which is recorded only at its end.
    @inline(never)
    func runSmall(_ first: SegmentConnection.AcceptedResponse) async throws(AttemptInterruption) -> Bool {
        try await finish(receiveOverOneConnection(first))
    }

    /// Fetches the rest of a file from a server whose start offset is not proved. Nothing is recorded until the end of
    /// the body has proved it.
    @inline(never)
    func runTail(_ first: SegmentConnection.AcceptedResponse) async throws(AttemptInterruption) -> Bool {
        let connectionCounts = await receiveOverOneConnection(first)
        if let interruption = connectionCounts.interruption ?? connectionCounts.failure { throw interruption }
        guard plan.isComplete else { return false }
        // Flushed now, so that the rest is not fetched again if the server cannot be reached later.
        try await flusher(nil).flush()
        return true
    }

    /// Receives a body over one connection, without a checkpoint before its end.
    private func receiveOverOneConnection(_ first: SegmentConnection.AcceptedResponse) async -> ConnectionCounts {
        let id = plan.makeConnection()
        let connection = SegmentConnection(id: id, source: file.lead, plan: plan, transfer: self, window: nil)
        let connectionCounts = ConnectionCounts(time: time)
        connectionCounts.recordOpened()
        connectionCounts.record(await connection.run(first))
        return connectionCounts
    }

    /// Writes the bytes of a body that was kept in memory.
    ///
    /// - Parameter unended: The end of a complete body that the server did not confirm; nil otherwise.
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
            let writer = writer(for: id, from: share.start, limit: share.end)
            // `unsafe`: the array outlives the call.
            await context.partFolder.pool.run { _ = unsafe writer.write(bytes.span.bytes) }
            failure = writer.error
            plan.release(id)
        }
        let connectionCounts = ConnectionCounts(time: time)
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
        let window = makeWindow(wake)
        let registration = context.flushTimer.add(
            startWriteback: { [part = file.part] in part.startWriteback() },
            wake: { wake.yield() }
        )
        defer { context.flushTimer.remove(registration) }
        let connectionCounts = await withTaskGroup(of: CoordinatorEvent.self) { group in
            let connectionCounts = begin(first, &group, window, wakes)
            while connectionCounts.active > 0, let coordinatorEvent = await group.next() {
                await handle(coordinatorEvent, connectionCounts, &group, window)
            }
            wake.finish()
            group.cancelAll()
            for await coordinatorEvent in group {
                if case .flushEnded(let interruption?) = coordinatorEvent { connectionCounts.stop(interruption) }
            }
            return connectionCounts
        }
        recordProven(connectionCounts)
        return try await finish(connectionCounts)
    }

    /// The window of the writers.
    @inline(never)
    private func makeWindow(_ wake: AsyncStream<Void>.Continuation) -> FlushWindow {
        let window = FlushWindow(size: settings.flushBytes, recorded: plan.recordedSegments, at: time.elapsed) {
            wake.yield()
        }
        context.meter.show(window)
        return window
    }

    /// Starts the flusher and the first connection.
    @inline(never)
    private func begin(
        _ first: SegmentConnection.AcceptedResponse,
        _ group: inout TaskGroup<CoordinatorEvent>,
        _ window: FlushWindow,
        _ wakes: AsyncStream<Void>
    ) -> ConnectionCounts {
        let cached = isShareable ? cachedConnections : nil
        let connectionCounts = ConnectionCounts(rules: settings.ramp, cached: cached, time: time)
        group.addTask { [flusher = flusher(window)] in .flushEnded(await flusher.run(wakes)) }
        sources.recordOpened(file.lead)
        open(file.lead, first, connectionCounts, &group, window)
        if isShareable { addTick(&group, connectionCounts) }
        return connectionCounts
    }
}

// MARK: - Coordinator

extension SegmentedTransfer {
    @inline(never)
    private func handle(
        _ coordinatorEvent: CoordinatorEvent,
        _ connectionCounts: ConnectionCounts,
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
            // Set before connections are closed, so that they are not replaced.
            plan.setLimit(min(connectionCounts.desired, max(connectionLimit, 1)))
            await yieldConnections()
            if connectionLimit < file.ceiling, connectionCounts.active >= connectionLimit { recordDemand() }
            // While a rate limit delays the connections, none is slow, and another would not help.
            guard !context.limiter.isHoldingBack(context.rate) else {
                connectionCounts.forgetMeasurement()
                addTick(&group, connectionCounts)
                break
            }
            // While the disk delays the connections, and until their rates are measured again, none counts as slow.
            if !window.wasFull(after: time.elapsed - ConnectionPace.window) {
                for exchange in plan.slowExchanges() { await exchange.discard() }
                requests.cancelOverdue(reading)
            }
            let missing = connectionCounts.missing(reading)
            plan.setLimit(connectionCounts.desired)
            openMissing(missing, connectionCounts, &group, window)
            addTick(&group, connectionCounts)
        case .ended(let end, let source):
            connectionCounts.record(end, isAlone: isAlone(source))
            sources.recordClosed(source)
            if case .broke = end, isShareable, connectionCounts.active > 0, !connectionCounts.isStopping,
                !Task.isCancelled
            {
                // A broken connection is replaced before the next tick, while other connections work.
                openMissing(connectionCounts.missing, connectionCounts, &group, window)
            }
            if case .refused(let decision, let isFirst) = end { await remember(decision, of: source, isFirst: isFirst) }
        }
        // Connections that still wait for a response are no longer needed.
        if isShareable, plan.isComplete { connectionCounts.stop(.stopped) }
        if connectionCounts.isStopping { group.cancelAll() }
    }

    /// Records for later downloads how many connections were useful.
    @inline(never)
    private func recordProven(_ connectionCounts: ConnectionCounts) {
        if let proven = connectionCounts.proven { recordProven(proven) }
    }

    /// Records, for other downloads, what the refusal of a further connection shows about its host.
    private func remember(_ decision: ResponseDecision, of source: SourceID, isFirst: Bool) async {
        switch decision {
        case .collapseToSingleStream, .requestWithoutRange(_, flagsHost: true):
            // The record is only an optimisation: if it is lost, one more request is refused. The next request uses
            // this host name.
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
        _ connectionCounts: ConnectionCounts,
        _ group: inout TaskGroup<CoordinatorEvent>,
        _ window: FlushWindow
    ) {
        guard missing > 0, plan.hasShare(minimum: settings.ramp.minimumShare) else { return }
        let taken = chooseSources(missing)
        if taken.count < missing {
            connectionCounts.recordHostWait()
            recordDemand(for: missing - taken.count)
        }
        for source in taken { open(source, nil, connectionCounts, &group, window) }
    }

    private func open(
        _ source: SourceID,
        _ first: SegmentConnection.AcceptedResponse?,
        _ connectionCounts: ConnectionCounts,
        _ group: inout TaskGroup<CoordinatorEvent>,
        _ window: FlushWindow
    ) {
        connectionCounts.recordOpened()
        let id = plan.makeConnection()
        let connection = SegmentConnection(id: id, source: source, plan: plan, transfer: self, window: window)
        group.addTask { .ended(await connection.run(first), source) }
    }

    private func addTick(_ group: inout TaskGroup<CoordinatorEvent>, _ connectionCounts: ConnectionCounts) {
        let interval = connectionCounts.reviewInterval
        group.addTask { [time] in
            try? await time.sleep(for: interval)
            return .tick
        }
    }

    /// Makes the last bytes durable and records them. If the file is complete, this happens at the end of the download.
    @inline(never)
    private func finish(_ connectionCounts: ConnectionCounts) async throws(AttemptInterruption) -> Bool {
        let isComplete = !connectionCounts.isUnended && (connectionCounts.isWhole || plan.isComplete)
        switch connectionCounts.interruption {
        case .lost?:
            // The usual reason is a pause. The bytes on the disk are still recorded.
            _ = try? await flusher(nil).flush()
            throw .lost
        case .unrecorded(let error)?: throw .unrecorded(error)
        // If every byte is stored, a stop counts as completion.
        case .stopped? where isComplete, nil where isComplete: return true
        case .stopped?, .source?, nil: break
        }
        try await flusher(nil).flush()
        if let interruption = connectionCounts.interruption ?? connectionCounts.failure { throw interruption }
        return false
    }
}

/// The target of a segmented transfer: the part file and the known properties of the file.
struct SegmentedFile: Sendable {
    let storage: any PartStorage
    let digester: Digester?
    let generation: Int
    let source: Download.Source
    /// The state that later responses are validated against, with the validator of the first response.
    let stored: StoredState
    /// The known digests of the whole file.
    let digests: [Digest]
    let isRefetching: Bool
    /// The source of the first response.
    let lead: SourceID
    /// The source whose response defines the file.
    let representation: SourceID?
    /// The maximum number of connections. With 1, no further range is requested.
    let ceiling: Int

    var part: PartFile { storage.part }
}
