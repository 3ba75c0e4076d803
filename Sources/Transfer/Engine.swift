public import Core
public import Curl
public import Linux
import Synchronization
import TransferRules

// `@inline(never)` keeps large values out of the frames that wait: see `Attempt`.

/// Runs downloads: sends requests, validates responses, writes bytes, makes them durable and publishes the finished
/// file in its place (``FinishedFiles``). It creates the parts of an attempt (``AttemptContext``), which do not know
/// the engine.
///
/// The engine knows neither the store nor the schedule. Its caller chooses what to fetch, records the progress
/// (``CheckpointSink``) and decides what follows the outcome.
public final class Engine: Sendable {
    let sharedSettings: SharedSettings
    let places: Places
    /// Locks on the paths of finished files, of all roots.
    let locks: FilePathLocks
    let pool: BlockingPool
    let time: TimeSource
    let limiter: RateLimiter
    let flushTimer: FlushTimer
    let names: HostNameCheck
    private let network: Network
    /// The state of the hosts that downloads are fetched from.
    public let hosts: HostTable
    private let loops: [any ExchangeLoop]
    /// The idle connections that the loops keep open.
    private let idle: IdleConnections
    private let shared = Mutex<(any ExchangeLoop)?>(nil)
    private let nextLoop = Atomic<Int>(0)
    private let runningCount = Atomic<Int>(0)

    /// - Parameter folders: The folders of the only root.
    public convenience init(settings: EngineSettings, folders: Folders, pool: BlockingPool, time: TimeSource) {
        self.init(settings: settings, roots: [Root(.downloads, folders)], pool: pool, time: time)
    }

    public convenience init(
        settings: EngineSettings,
        roots: [Root],
        pool: BlockingPool,
        time: TimeSource,
        network: Network = .system
    ) {
        self.init(
            settings: settings,
            roots: roots,
            pool: pool,
            time: time,
            directorySync: DirectorySync(pool: pool),
            network: network
        )
    }

    init(
        settings: EngineSettings,
        roots: [Root],
        pool: BlockingPool,
        time: TimeSource,
        directorySync: DirectorySync,
        network: Network = .system
    ) {
        self.network = network
        names = HostNameCheck(isUnknown: network.isUnknownName)
        sharedSettings = SharedSettings(settings)
        self.time = time
        self.pool = pool
        locks = FilePathLocks()
        places = Places(
            roots,
            PlaceContext(pool: pool, directorySync: directorySync, locks: locks, settings: sharedSettings)
        )
        hosts = HostTable(maxLimit: settings.connectionsPerHost, rules: settings.hostRules, time: time)
        let shared = SharedRates(server: settings.rateLimit, perHost: settings.rateLimitPerHost)
        limiter = RateLimiter(shared, time: time)
        flushTimer = FlushTimer(interval: settings.flushInterval, time: time, pool: pool)
        idle = IdleConnections(longestIdleness: settings.longestIdleness)
        loops = (0..<max(settings.loops, 1)).map { [idle] in network.firstLoop(sharing: idle, number: $0) }
    }

    var settings: EngineSettings { sharedSettings.value }

    /// The rate limit of a download. It can be changed while the download runs, and applies while a reference to it
    /// exists.
    ///
    /// - Parameter session: The rate limit of the download's session.
    public func rate(of download: Download, session: SessionRate? = nil) -> DownloadRate {
        limiter.rate(download.request.rateBytesPerSecond, revision: download.revision, session: session)
    }

    /// Changes the rate limit of a session. Running downloads use it immediately.
    public func setRate(of session: SessionRate) { limiter.setRate(of: session) }

    /// The rate limit of a session, in bytes per second; nil if it has no limit or no running download.
    public func rateLimit(of session: SessionName) -> Int64? { limiter.bytesPerSecond(of: session) }

    /// The rate limits that all downloads share.
    public var sharedRates: SharedRates { limiter.shared }

    /// Changes the shared rate limits. Running downloads use them immediately.
    ///
    /// - Parameter number: A number, from 1 on, that increases with each change. A call with an older number is
    ///   ignored.
    public func setSharedRates(_ rates: SharedRates, number: Int) { limiter.setShared(rates, number: number) }

    /// The loop with an idle connection to the host. Without one, the loops are chosen in turn.
    func loop(for authority: String) -> any ExchangeLoop {
        if let number = idle.useIdleLoop(for: authority, below: loops.count) { return loops[number] }
        return loops[nextLoop.wrappingAdd(1, ordering: .relaxed).oldValue & Int.max % loops.count]
    }

    /// The loop for requests that may share a connection. There is only one, because each loop has its own connections.
    /// It is created on demand: most processes never need it.
    func sharingLoop() throws(CurlError) -> any ExchangeLoop {
        if let loop = shared.withLock({ $0 }) { return loop }
        let made = try network.makeLoop(idle, loops.count)
        return shared.withLock { loop in
            // A concurrent call may have created a loop first.
            let chosen = loop ?? made
            loop = chosen
            return chosen
        }
    }

    /// Runs a download until its file is published, the attempt fails, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - rate: The rate limit of the download; nil for the one in its request.
    ///   - log: Records the attempt's requests; nil for no log.
    public func attempt(
        _ assignment: Assignment,
        checkpointSink: any CheckpointSink,
        meter: ProgressMeter,
        rate: DownloadRate? = nil,
        log: RequestLog? = nil
    ) async -> AttemptOutcome {
        let files: any FinishedFiles
        do throws(AttemptInterruption) {
            files = try await openFiles(of: assignment)
        } catch {
            return AttemptOutcome(error, madeProgress: false)
        }
        runningCount.wrappingAdd(1, ordering: .relaxed)
        defer { runningCount.wrappingSubtract(1, ordering: .relaxed) }
        let context = context(of: assignment, in: files, checkpointSink, meter, rate, log)
        let outcome =
            if let monitor = lowSpeedMonitor(of: context) {
                await run(assignment, context, monitor)
            } else {
                await makeAttempt(assignment, context).run()
            }
        return closing(files, after: outcome)
    }

    /// Closes a place whose disk has failed, so that the next call opens its path again (docs/decisions/0044).
    private func closing(_ files: any FinishedFiles, after outcome: AttemptOutcome) -> AttemptOutcome {
        if outcome.isOfDisk { places.close(files) }
        return outcome
    }

    /// The place of a download's file, if it has space.
    @inline(never)
    private func openFiles(of assignment: Assignment) async throws(AttemptInterruption) -> any FinishedFiles {
        let files = try await openFiles(assignment.download.request.root)
        if let shortage = shortage(in: files) { throw .failed(shortage) }
        return files
    }

    @inline(never)
    private func lowSpeedMonitor(of context: AttemptContext) -> LowSpeedMonitor? {
        settings.lowSpeedLimit.map { limit in
            LowSpeedMonitor(limit, context.meter, time) { [limiter, rate = context.rate] in
                limiter.hasHeldBack(rate, after: $0)
            }
        }
    }

    @inline(never)
    private func run(
        _ assignment: Assignment,
        _ context: AttemptContext,
        _ monitor: LowSpeedMonitor
    ) async -> AttemptOutcome {
        await monitor.run { await self.makeAttempt(assignment, context, monitor).run() }
    }

    @inline(never)
    private func makeAttempt(
        _ assignment: Assignment,
        _ context: AttemptContext,
        _ monitor: LowSpeedMonitor? = nil
    ) -> Attempt {
        Attempt(assignment, context, lowSpeedMonitor: monitor)
    }

    /// The present sizes of the buffers of a download's transfers.
    private func bufferSizes(_ rate: DownloadRate, _ authority: String) -> BufferSizes {
        let sizes = BufferSizes(
            running: runningCount.load(ordering: .relaxed),
            connections: hosts.openConnections
        )
        return limiter.isLimiting ? sizes.bounded(by: limiter.strictest(for: rate, at: authority)) : sizes
    }

    @inline(never)
    private func context(
        of assignment: Assignment,
        in files: any FinishedFiles,
        _ checkpointSink: any CheckpointSink,
        _ meter: ProgressMeter,
        _ rate: DownloadRate?,
        _ log: RequestLog?
    ) -> AttemptContext {
        let rate = rate ?? self.rate(of: assignment.download)
        let settings = sharedSettings.applying(assignment.download.request.retry)
        let authority = assignment.download.request.url.authority
        let request = assignment.download.request
        let owner = OriginClient.Owner(
            download: assignment.download.id,
            url: request.url,
            credentials: assignment.credentials,
            rate: rate,
            mirrors: request.mirrors,
            log: log
        )
        let transport = transport(to: authority) { [weak self, weak rate] in
            guard let self, let rate else { return BufferSizes(running: .max, connections: 0) }
            return self.bufferSizes(rate, authority)
        }
        return AttemptContext(
            AttemptContext.Parts(files: files, hosts: hosts, limiter: limiter, flushTimer: flushTimer, time: time),
            download: assignment.boxedDownload,
            origin: OriginClient(transport, settings: settings, for: owner),
            sources: SourceTable(assignment.sourceURLs, time: time),
            checkpointSink: checkpointSink,
            meter: meter,
            rate: rate
        )
    }

    func transport(to authority: String, buffers: @escaping @Sendable () -> BufferSizes) -> OriginClient.Transport {
        OriginClient.Transport(
            loop: loop(for: authority),
            sharingLoop: sharingLoop,
            singleLoop: network.makeSingleLoop,
            names: names,
            hosts: hosts,
            time: time,
            buffers: buffers
        )
    }

    /// Finishes a publication that an earlier process began. This needs no network.
    ///
    /// - Parameter blocks: The recorded block digests of the part file.
    public func finishPublishing(
        _ download: Download,
        blocks: [BlockDigest] = [],
        checkpointSink: any CheckpointSink
    ) async -> AttemptOutcome {
        guard let file = download.file else { return AttemptOutcome(.failed(.lostPart), madeProgress: false) }
        return await finish(file) { (files) async throws(AttemptInterruption) in
            try await files.resume(file, blocks, of: download, checkpointSink)
        } ?? AttemptOutcome(.failed(.lostPart), madeProgress: false)
    }

    /// Finishes a publication whose file was moved to its final path but not made durable there.
    ///
    /// - Returns: nil if there is no such file. A normal attempt must follow then.
    public func finishPlaced(
        _ download: Download,
        blocks: [BlockDigest] = [],
        checkpointSink: any CheckpointSink
    ) async -> AttemptOutcome? {
        guard let file = download.file else { return nil }
        return await finish(file) { (files) async throws(AttemptInterruption) in
            try await files.finishPlaced(file, blocks, of: download, checkpointSink)
        }
    }

    private func finish(
        _ file: PublishedFile,
        _ body: (any FinishedFiles) async throws(AttemptInterruption) -> PublishedFile?
    ) async -> AttemptOutcome? {
        let files: any FinishedFiles
        do throws(AttemptInterruption) {
            files = try await openFiles(file.root)
        } catch {
            return AttemptOutcome(error, madeProgress: false)
        }
        do throws(AttemptInterruption) {
            return try await body(files).map { .published($0) }
        } catch {
            return closing(files, after: AttemptOutcome(error, madeProgress: false))
        }
    }

    private func openFiles(_ root: RootName) async throws(AttemptInterruption) -> any FinishedFiles {
        do throws(RootUnavailable) {
            return try await places.files(of: root)
        } catch {
            throw .failed(error.failure)
        }
    }

    /// Ends all running transfers, and refuses later ones.
    public func shutdown() async {
        for loop in loops { await loop.shutdown() }
        await shared.withLock { $0 }?.shutdown()
    }
}
