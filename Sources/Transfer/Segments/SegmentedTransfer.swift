import Core
import Curl
import HTTPFields
import Linux
import TransferRules

/// Brings what is missing of a file into its part file, over one connection or several.
///
/// It begins with an answer whose head has passed the gate. Further connections are opened only beside it, for
/// bytes that the validator proves to be of the same file, and as long as they make the download faster.
///
/// It is a class for the sake of memory: each task of each connection would hold several copies of a value.
final class SegmentedTransfer: Sendable {
    let engine: Engine
    let origin: OriginClient
    let download: Download
    let part: PartFile
    let checkpointSink: any CheckpointSink
    let meter: ProgressMeter
    let digester: Digester?
    /// What later answers are judged against: the validator of the first one among it.
    let stored: StoredState
    let source: Download.Source
    let generation: Int
    let isRefetching: Bool
    let plan: SharedPlan
    let sources: SourceTable
    let requests: PendingRequests
    /// The source of the first answer.
    let lead: SourceID
    /// The source that said what the file is.
    let representation: SourceID?
    /// Of the whole file, as far as they are known.
    let expectedDigests: [Digest]
    /// The most connections; with 1 no range is asked for.
    let ceiling: Int
    let rate: DownloadRate

    init(
        engine: Engine,
        origin: OriginClient,
        download: Download,
        part: PartFile,
        checkpointSink: any CheckpointSink,
        meter: ProgressMeter,
        digester: Digester?,
        stored: StoredState,
        source: Download.Source,
        generation: Int,
        isRefetching: Bool,
        plan: SharedPlan,
        sources: SourceTable,
        lead: SourceID,
        representation: SourceID?,
        expectedDigests: [Digest],
        ceiling: Int,
        rate: DownloadRate
    ) {
        self.engine = engine
        requests = PendingRequests(time: engine.time)
        self.origin = origin
        self.download = download
        self.part = part
        self.checkpointSink = checkpointSink
        self.meter = meter
        self.digester = digester
        self.stored = stored
        self.source = source
        self.generation = generation
        self.isRefetching = isRefetching
        self.plan = plan
        self.sources = sources
        self.lead = lead
        self.representation = representation
        self.expectedDigests = expectedDigests
        self.ceiling = ceiling
        self.rate = rate
    }

    var settings: EngineSettings { engine.settings }
    var isShareable: Bool { ceiling > 1 }

    /// How it ended.
    enum Outcome: Sendable {
        case complete
        /// Bytes are missing, and the next answer is to say why.
        case incomplete
        case interrupted(AttemptInterruption)
    }

    /// What the coordinator of the connections is told.
    enum CoordinatorEvent: Sendable {
        case ended(SegmentConnection.End, SourceID)
        case flushEnded(AttemptInterruption?)
        case tick
    }

    /// Takes a small body, which is recorded at its end alone.
    func runSmall(_ first: SegmentConnection.AcceptedResponse) async -> Outcome {
        await finish(alone(first))
    }

    /// Takes the rest of a file from a server that has to be taken at its word on where it begins. None of it is
    /// recorded before the end has shown that the word was true.
    func runTail(_ first: SegmentConnection.AcceptedResponse) async -> Outcome {
        let connectionCounts = await alone(first)
        if let interruption = connectionCounts.interruption ?? connectionCounts.failure {
            return .interrupted(interruption)
        }
        guard plan.isComplete else { return .incomplete }
        do {
            // Should the server not be there to be asked once more, the tail need not come again.
            try await flusher(nil).flush()
        } catch {
            return .interrupted(error)
        }
        return .complete
    }

    /// Takes a body over one connection, without a record on the way.
    private func alone(_ first: SegmentConnection.AcceptedResponse) async -> ConnectionCounts {
        let id = plan.makeConnection()
        let connection = SegmentConnection(id: id, source: lead, plan: plan, transfer: self, window: nil)
        var connectionCounts = ConnectionCounts(time: engine.time)
        connectionCounts.recordOpened()
        connectionCounts.record(await connection.run(first))
        return connectionCounts
    }

    /// Keeps what came of a body that was held in memory.
    ///
    /// - Parameter unended: Where all of it came, and not the word that this was all.
    func write(
        _ bytes: [UInt8],
        of authority: String,
        endedBy ended: Result<TransferEnd, CurlError>,
        _ unended: SegmentConnection.End?
    ) async -> Outcome {
        let id = plan.makeConnection()
        var failure: TransferFailure?
        // An empty file has no share.
        if case .fetch(let share)? = plan.firstShare(for: id) {
            let writer = writer(for: id, from: share.start, limit: share.end, throttle: nil, window: nil) {
                $0(share.end)
            }
            // The array outlives the call.
            await engine.pool.run { _ = unsafe writer.write(bytes.span.bytes) }
            failure = writer.error
            plan.release(id)
        }
        var connectionCounts = ConnectionCounts(time: engine.time)
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
        return await finish(connectionCounts)
    }

    func run(_ first: SegmentConnection.AcceptedResponse) async -> Outcome {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let window = FlushWindow(size: settings.flushBytes, recorded: plan.recordedSegments) { wake.yield() }
        meter.show(window)
        let connectionCounts = await withTaskGroup(of: CoordinatorEvent.self) { group in
            var connectionCounts = ConnectionCounts(rules: settings.ramp, time: engine.time)
            group.addTask { [flusher = flusher(window)] in .flushEnded(await flusher.run(wakes)) }
            group.addTask { [time = engine.time, interval = settings.flushInterval] in
                while (try? await time.sleep(for: interval)) != nil { wake.yield() }
                return .tick
            }
            sources.recordOpened(lead)
            open(lead, first, &connectionCounts, &group, window)
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
        return await finish(connectionCounts)
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
            let width = hostWidth
            let reading = plan.reading(ceiling: min(ceiling, width))
            // Before anything is given up, so that no other connection takes its place.
            plan.want(min(connectionCounts.desired, max(width, 1)))
            await yieldConnections()
            if width < ceiling, connectionCounts.active >= width { recordDemand() }
            // Where a limit holds the connections back, none of them is slow, and one more would bring nothing.
            guard !engine.limiter.isHoldingBack(rate) else {
                connectionCounts.forgetMeasurement()
                addTick(&group, connectionCounts)
                break
            }
            // Nor while the disk does, or before the paces are measured anew.
            if !window.wasFull(after: engine.time.elapsed - ConnectionPace.window) {
                for exchange in plan.slowExchanges() { await exchange.discard() }
                requests.cancelOverdue(reading)
            }
            let missing = connectionCounts.missing(reading)
            plan.want(connectionCounts.desired)
            openMissing(missing, &connectionCounts, &group, window)
            addTick(&group, connectionCounts)
        case .ended(let end, let source):
            connectionCounts.record(end, isAlone: isAlone(source))
            sources.recordClosed(source)
            if case .broke = end, isShareable, connectionCounts.active > 0, !connectionCounts.isStopping,
                !Task.isCancelled
            {
                // The others go on meanwhile: what one of them loses is not to wait for the next look.
                openMissing(connectionCounts.missing, &connectionCounts, &group, window)
            }
            if case .refused(let decision, let isFirst) = end { await remember(decision, of: source, isFirst: isFirst) }
        }
        // Whoever still waits for an answer has nothing to bring any more.
        if isShareable, plan.isComplete { connectionCounts.stop(.stopped) }
        if connectionCounts.isStopping { group.cancelAll() }
    }

    /// Remembers for other downloads what the refusal of a further connection says of its host.
    private func remember(_ decision: ResponseDecision, of source: SourceID, isFirst: Bool) async {
        switch decision {
        case .collapseToSingleStream, .requestWithoutRange(_, flagsHost: true):
            // A hint: losing it costs one more refused answer. Whoever asks the host again asks it by this name.
            try? await checkpointSink.recordHostRefusesRanges(sources.url(of: source).authority)
        case .fail(let error) where error.httpStatus == 403,
            .waitForCredentials(let error) where error.httpStatus == 403:
            let working = sources.connections(of: source)
            for authority in sources.authorities(of: source) {
                engine.hosts.recordForbidden(by: authority, beside: working, isFirstRequest: isFirst)
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
        group.addTask { [time = engine.time] in
            try? await time.sleep(for: interval)
            return .tick
        }
    }

    /// Makes durable and records what came last, unless the file is whole: then the end of the download does.
    private func finish(_ connectionCounts: ConnectionCounts) async -> Outcome {
        let isComplete = !connectionCounts.isUnended && (connectionCounts.isWhole || plan.isComplete)
        switch connectionCounts.interruption {
        case .lost?:
            // Paused, mostly: then what is on the disk is still taken.
            _ = try? await flusher(nil).flush()
            return .interrupted(.lost)
        case .unrecorded(let error)?: return .interrupted(.unrecorded(error))
        // Whoever stops it finds the file whole.
        case .stopped? where isComplete, nil where isComplete: return .complete
        case .stopped?, .failed?, .deferred?, nil: break
        }
        do {
            try await flusher(nil).flush()
        } catch {
            return .interrupted(error)
        }
        return (connectionCounts.interruption ?? connectionCounts.failure).map { .interrupted($0) } ?? .incomplete
    }
}
