public import Core
import Curl
public import Linux
import Synchronization

/// What carries downloads out: it sends requests, validates responses, writes the bytes, makes them durable
/// and moves the finished file to its place. It makes the parts of an attempt (``AttemptContext``), which do not know
/// it.
///
/// It knows no store and no schedule: its caller says what to fetch, records the progress (``CheckpointSink``), and
/// decides what follows the outcome.
public final class Engine: Sendable {
    let settings: EngineSettings
    let disk: Disk
    let time: TimeSource
    let limiter: RateLimiter
    let names = HostNameCheck()
    let foreignFiles = ForeignFiles()
    /// What is known of the hosts that downloads are fetched from.
    public let hosts: HostTable
    private let loops: [TransferLoop]
    /// The connections that the loops keep.
    private let idle: IdleConnections
    private let shared = Mutex<TransferLoop?>(nil)
    private let nextLoop = Atomic<Int>(0)
    private let runningCount = Atomic<Int>(0)

    public convenience init(settings: EngineSettings, folders: Folders, pool: BlockingPool, time: TimeSource) {
        let directorySync = DirectorySync(pool: pool)
        self.init(settings: settings, folders: folders, pool: pool, time: time, directorySync: directorySync)
    }

    init(
        settings: EngineSettings,
        folders: Folders,
        pool: BlockingPool,
        time: TimeSource,
        directorySync: DirectorySync
    ) {
        self.settings = settings
        self.time = time
        disk = Disk(folders, pool: pool, directorySync: directorySync, settings)
        hosts = HostTable(ceiling: settings.connectionsPerHost, rules: settings.hostRules, time: time)
        let shared = SharedRates(server: settings.rateLimit, perHost: settings.rateLimitPerHost)
        limiter = RateLimiter(shared, time: time)
        idle = IdleConnections(longestIdleness: settings.longestIdleness)
        loops = (0..<max(settings.loops, 1)).map { [idle] in TransferLoop(sharing: idle, number: $0) }
    }

    /// The room on the disk.
    public var space: SpaceReservations { disk.space }

    /// The limit on a download's rate, to be changed while it runs. It holds as long as someone holds it.
    ///
    /// - Parameter session: The limit on the session that it belongs to.
    public func rate(of download: Download, session: SessionRate? = nil) -> DownloadRate {
        limiter.rate(download.request.rateBytesPerSecond, revision: download.revision, session: session)
    }

    /// Sets another limit on the downloads of a session, which holds at once for those that run.
    public func setRate(of session: SessionRate) { limiter.setRate(of: session) }

    /// The limit on the downloads of a session, in bytes per second; nil for none, and where none of them runs.
    public func rateLimit(of session: SessionName) -> Int64? { limiter.bytesPerSecond(of: session) }

    /// The limits that downloads share.
    public var sharedRates: SharedRates { limiter.shared }

    /// Sets others, which hold at once, for what is under way too.
    ///
    /// - Parameter number: From 1 on, growing with each change; a call with an older number is ignored.
    public func setSharedRates(_ rates: SharedRates, number: Int) { limiter.setShared(rates, number: number) }

    /// The loop with an idle connection to the host; otherwise the loops take turns.
    func loop(for authority: String) -> TransferLoop {
        if let number = idle.useIdleLoop(for: authority, below: loops.count) { return loops[number] }
        return loops[nextLoop.wrappingAdd(1, ordering: .relaxed).oldValue & Int.max % loops.count]
    }

    /// For requests that share a connection: one, for each loop has connections of its own. Most processes never need
    /// it.
    func sharingLoop() throws(CurlError) -> TransferLoop {
        if let loop = shared.withLock({ $0 }) { return loop }
        let made = try TransferLoop.further(sharing: idle, number: loops.count)
        return shared.withLock { loop in
            // Another call may have made one first.
            let chosen = loop ?? made
            loop = chosen
            return chosen
        }
    }

    /// Works on a download until its file is in its place, the attempt fails, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - rate: Its rate limit; nil for the one in its request.
    ///   - log: Where its requests are accounted for.
    public func attempt(
        _ assignment: Assignment,
        checkpointSink: any CheckpointSink,
        meter: ProgressMeter,
        rate: DownloadRate? = nil,
        log: RequestLog? = nil
    ) async -> AttemptOutcome {
        let rate = rate ?? self.rate(of: assignment.download)
        let running = runningCount.wrappingAdd(1, ordering: .relaxed).newValue
        defer { runningCount.wrappingSubtract(1, ordering: .relaxed) }
        let authority = assignment.download.request.url.authority
        let buffers = BufferSizes(running: running).bounded(by: limiter.strictest(for: rate, at: authority))
        let origin = OriginClient(
            loop: loop(for: authority),
            sharingLoop: sharingLoop,
            settings: settings,
            names: names,
            credentials: assignment.credentials,
            credentialURL: assignment.download.request.url,
            buffers: buffers,
            hosts: hosts,
            download: assignment.download.id,
            rate: rate,
            time: time,
            log: log
        )
        let context = AttemptContext(
            settings: settings,
            disk: disk,
            hosts: hosts,
            limiter: limiter,
            time: time,
            download: assignment.download,
            origin: origin,
            sources: SourceTable(assignment.sourceURLs, time: time),
            checkpointSink: checkpointSink,
            meter: meter,
            rate: rate
        )
        guard let limit = settings.lowSpeedLimit else { return await Attempt(assignment, context).run() }
        let monitor = LowSpeedMonitor(limit, meter, time) { [limiter] in limiter.isHoldingBack(rate) }
        return await monitor.run { await Attempt(assignment, context, lowSpeedMonitor: monitor).run() }
    }

    /// Finishes what a dead process had begun to publish: no network is needed for it.
    ///
    /// - Parameter blocks: What is recorded of the bytes.
    public func finishPublishing(
        _ download: Download,
        blocks: [BlockDigest] = [],
        checkpointSink: any CheckpointSink
    ) async -> AttemptOutcome {
        guard let file = download.file else { return AttemptOutcome(.failed(.lostPart), madeProgress: false) }
        let publisher = Publisher(disk: disk, checkpointSink: checkpointSink)
        do {
            return .published(try await publisher.resume(file, blocks, of: download))
        } catch {
            return AttemptOutcome(error, madeProgress: false)
        }
    }

    /// Finishes what an earlier attempt moved to its place and could not make durable there.
    ///
    /// - Returns: nil if there is no such file: then a usual attempt follows.
    public func finishPlaced(
        _ download: Download,
        blocks: [BlockDigest] = [],
        checkpointSink: any CheckpointSink
    ) async -> AttemptOutcome? {
        guard let file = download.file else { return nil }
        let publisher = Publisher(disk: disk, checkpointSink: checkpointSink)
        do {
            return try await publisher.finishPlaced(file, blocks, of: download).map { .published($0) }
        } catch {
            return AttemptOutcome(error, madeProgress: false)
        }
    }

    /// Records that a download waits for disk space.
    public func recordSpaceShortage() async {
        await disk.pool.run { [space] in space.recordSpaceShortage() }
    }

    /// The room for those that wait for it, in bytes; nil while there is too little.
    public func roomForWaiting() async -> Int64? {
        await disk.pool.run { [space] in space.roomForWaiting() }
    }

    /// Ends every transfer under way, and refuses later ones.
    public func shutdown() async {
        for loop in loops { await loop.shutdown() }
        await shared.withLock { $0 }?.shutdown()
    }
}
