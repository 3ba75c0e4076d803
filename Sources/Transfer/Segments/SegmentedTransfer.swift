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
    let keeper: any ProgressKeeper
    let meter: ProgressMeter
    let digester: Digester?
    /// What later answers are judged against: the validator of the first one among it.
    let stored: StoredState
    let source: Download.Source
    let generation: Int
    let isRegaining: Bool
    let plan: SharedPlan
    let sources: SourceBook
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
        keeper: any ProgressKeeper,
        meter: ProgressMeter,
        digester: Digester?,
        stored: StoredState,
        source: Download.Source,
        generation: Int,
        isRegaining: Bool,
        plan: SharedPlan,
        sources: SourceBook,
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
        self.keeper = keeper
        self.meter = meter
        self.digester = digester
        self.stored = stored
        self.source = source
        self.generation = generation
        self.isRegaining = isRegaining
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
    enum Ending: Sendable {
        case complete
        /// Bytes are missing, and the next answer is to say why.
        case incomplete
        case interrupted(AttemptInterruption)
    }

    /// What the coordinator of the connections is told.
    enum Happening: Sendable {
        case ended(SegmentConnection.End, SourceID)
        case flushEnded(AttemptInterruption?)
        case tick
    }

    /// Takes a small body, which is recorded at its end alone.
    func runSmall(_ first: SegmentConnection.AcceptedAnswer) async -> Ending {
        await conclude(alone(first))
    }

    /// Takes the rest of a file from a server that has to be taken at its word on where it begins. None of it is
    /// recorded before the end has shown that the word was true.
    func runTail(_ first: SegmentConnection.AcceptedAnswer) async -> Ending {
        let crew = await alone(first)
        if let interruption = crew.interruption ?? crew.failure { return .interrupted(interruption) }
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
    private func alone(_ first: SegmentConnection.AcceptedAnswer) async -> Crew {
        let id = plan.makeConnection()
        let connection = SegmentConnection(id: id, source: lead, plan: plan, transfer: self, window: nil)
        var crew = Crew(time: engine.time)
        crew.noteOpened()
        crew.note(await connection.run(first))
        return crew
    }

    /// Keeps what came of a body that was held in memory.
    ///
    /// - Parameter unended: Where all of it came, and not the word that this was all.
    func keep(
        _ bytes: [UInt8],
        of authority: String,
        endedBy ended: Result<TransferEnd, CurlError>,
        _ unended: SegmentConnection.End?
    ) async -> Ending {
        let id = plan.makeConnection()
        var failure: TransferFailure?
        // An empty file has no share.
        if case .fetch(let share)? = plan.firstShare(for: id) {
            let writer = writer(for: id, from: share.start, limit: share.end, gate: nil, window: nil) { $0(share.end) }
            // The array outlives the call.
            await engine.pool.run { _ = unsafe writer.write(bytes.span.bytes) }
            failure = writer.error
            plan.release(id)
        }
        var crew = Crew(time: engine.time)
        crew.noteOpened()
        switch (failure, ended) {
        case (let failure?, _): crew.note(.failed(failure))
        case (nil, .success): crew.note(.idle)
        case (nil, .failure) where Task.isCancelled: crew.note(.stopped)
        case (nil, .failure(let error)):
            crew.note(unended ?? .broke(TransferFailure(body: error, from: authority), afterBytes: Int64(bytes.count)))
        }
        return await conclude(crew)
    }

    func run(_ first: SegmentConnection.AcceptedAnswer) async -> Ending {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let window = FlushWindow(size: settings.flushBytes, recorded: plan.recordedSegments) { wake.yield() }
        meter.show(window)
        let crew = await withTaskGroup(of: Happening.self) { group in
            var crew = Crew(rules: settings.ramp, time: engine.time)
            group.addTask { [flusher = flusher(window)] in .flushEnded(await flusher.run(wakes)) }
            group.addTask { [time = engine.time, interval = settings.flushInterval] in
                while (try? await time.sleep(for: interval)) != nil { wake.yield() }
                return .tick
            }
            sources.noteOpened(lead)
            open(lead, first, &crew, &group, window)
            if isShareable { addTick(&group, crew) }
            while crew.active > 0, let happening = await group.next() {
                await take(happening, &crew, &group, window)
            }
            wake.finish()
            group.cancelAll()
            for await happening in group {
                if case .flushEnded(let interruption?) = happening { crew.stop(interruption) }
            }
            return crew
        }
        return await conclude(crew)
    }
}

// MARK: - The coordinator

extension SegmentedTransfer {
    private func take(
        _ happening: Happening,
        _ crew: inout Crew,
        _ group: inout TaskGroup<Happening>,
        _ window: FlushWindow
    ) async {
        switch happening {
        case .flushEnded(let interruption):
            if let interruption { crew.stop(interruption) }
        case .tick:
            guard isShareable, !crew.isStopping, !Task.isCancelled else { break }
            let width = hostWidth
            let reading = plan.reading(ceiling: min(ceiling, width))
            // Before anything is given up, so that no other connection takes its place.
            plan.want(min(crew.desired, max(width, 1)))
            await giveWay()
            if width < ceiling, crew.active >= width { noteDemand() }
            // Where a limit holds the connections back, none of them is slow, and one more would bring nothing.
            guard !engine.limiter.isHoldingBack(rate) else {
                crew.forgetMeasurement()
                addTick(&group, crew)
                break
            }
            // Nor while the disk does, or before the paces are measured anew.
            if !window.wasFull(after: engine.time.elapsed - ConnectionPace.window) {
                for exchange in plan.slowExchanges() { await exchange.discard() }
                requests.giveUpOverdue(reading)
            }
            let missing = crew.missing(reading)
            plan.want(crew.desired)
            openMissing(missing, &crew, &group, window)
            addTick(&group, crew)
        case .ended(let end, let source):
            crew.note(end, isAlone: isAlone(source))
            sources.noteClosed(source)
            if case .broke = end, isShareable, crew.active > 0, !crew.isStopping, !Task.isCancelled {
                // The others go on meanwhile: what one of them loses is not to wait for the next look.
                openMissing(crew.missing, &crew, &group, window)
            }
            if case .refused(let decision, let isFirst) = end { await remember(decision, of: source, isFirst: isFirst) }
        }
        // Whoever still waits for an answer has nothing to bring any more.
        if isShareable, plan.isComplete { crew.stop(.stopped) }
        if crew.isStopping { group.cancelAll() }
    }

    /// Remembers for other downloads what the refusal of a further connection says of its host.
    private func remember(_ decision: GateDecision, of source: SourceID, isFirst: Bool) async {
        switch decision {
        case .collapseToSingleStream, .askPlain(_, flagsHost: true):
            // A hint: losing it costs one more refused answer. Whoever asks the host again asks it by this name.
            try? await keeper.noteHostRefusesRanges(sources.url(of: source).authority)
        case .fail(let error) where error.httpStatus == 403,
            .waitForCredentials(let error) where error.httpStatus == 403:
            let working = sources.connections(of: source)
            for authority in sources.authorities(of: source) {
                engine.hosts.noteForbidden(by: authority, beside: working, isFirstRequest: isFirst)
            }
        default: break
        }
    }

    private func openMissing(
        _ missing: Int,
        _ crew: inout Crew,
        _ group: inout TaskGroup<Happening>,
        _ window: FlushWindow
    ) {
        guard missing > 0, plan.hasShare(minimum: settings.ramp.minimumShare) else { return }
        let taken = takeSources(missing)
        if taken.count < missing {
            crew.noteHeld()
            noteDemand(for: missing - taken.count)
        }
        for source in taken { open(source, nil, &crew, &group, window) }
    }

    private func open(
        _ source: SourceID,
        _ first: SegmentConnection.AcceptedAnswer?,
        _ crew: inout Crew,
        _ group: inout TaskGroup<Happening>,
        _ window: FlushWindow
    ) {
        crew.noteOpened()
        let id = plan.makeConnection()
        let connection = SegmentConnection(id: id, source: source, plan: plan, transfer: self, window: window)
        group.addTask { .ended(await connection.run(first), source) }
    }

    private func addTick(_ group: inout TaskGroup<Happening>, _ crew: Crew) {
        let interval = crew.tickInterval
        group.addTask { [time = engine.time] in
            try? await time.sleep(for: interval)
            return .tick
        }
    }

    /// Makes durable and records what came last, unless the file is whole: then the end of the download does.
    private func conclude(_ crew: Crew) async -> Ending {
        let isComplete = !crew.isUnended && (crew.isWhole || plan.isComplete)
        switch crew.interruption {
        case .lost?:
            // Paused, mostly: then what is on the disk is still taken.
            _ = try? await flusher(nil).flush()
            return .interrupted(.lost)
        case .unrecorded(let error)?: return .interrupted(.unrecorded(error))
        // Whoever stops it finds the file whole.
        case .stopped? where isComplete, nil where isComplete: return .complete
        case .stopped?, .failed?, .held?, nil: break
        }
        do {
            try await flusher(nil).flush()
        } catch {
            return .interrupted(error)
        }
        return (crew.interruption ?? crew.failure).map { .interrupted($0) } ?? .incomplete
    }
}
