import Curl
public import Linux
public import Model
import Synchronization

/// What carries downloads out: it asks the origin, judges the answer, writes the bytes, makes them durable
/// and moves the finished file to its place.
///
/// It knows no store and no schedule: who runs it says what to fetch, keeps its progress
/// (``ProgressKeeper``), and decides what follows from the outcome.
public final class Engine: Sendable {
    let settings: EngineSettings
    let folders: Folders
    let pool: BlockingPool
    let directorySync: DirectorySync
    let time: TimeSource
    let limiter: RateLimiter
    let names = NameCheck()
    let recentParts = RecentParts()
    let places = FilePlaces()
    let strangers = Strangers()
    /// What is known of the hosts that downloads are fetched from.
    public let hosts: HostTable
    /// The room on the disk.
    public let space: SpaceLedger
    private let loops: [TransferLoop]
    /// The connections that the loops keep.
    private let idle: IdleConnections
    private let shared = Mutex<TransferLoop?>(nil)
    private let turn = Atomic<Int>(0)
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
        self.folders = folders
        self.pool = pool
        self.time = time
        self.directorySync = directorySync
        space = SpaceLedger(
            low: settings.minFreeBytes,
            high: settings.resumeFreeBytes ?? settings.minFreeBytes.addingTwentieth
        ) { () throws(SystemError) in try folders.parts.freeBytes() }
        hosts = HostTable(ceiling: settings.connectionsPerHost, rules: settings.hostRules, time: time)
        let shared = SharedRates(server: settings.rateLimit, perHost: settings.rateLimitPerHost)
        limiter = RateLimiter(shared, time: time)
        idle = IdleConnections(longestIdleness: settings.longestIdleness)
        loops = (0..<max(settings.loops, 1)).map { [idle] in TransferLoop(sharing: idle, number: $0) }
    }

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
    /// - Parameter number: From 1 on, greater for what is said later: what comes after a later one changes nothing.
    public func setSharedRates(_ rates: SharedRates, number: Int) { limiter.setShared(rates, number: number) }

    /// The loop that keeps a connection to a host, where one does; else the loops take turns.
    func loop(for authority: String) -> TransferLoop {
        if let number = idle.takeLoop(for: authority, below: loops.count) { return loops[number] }
        return loops[turn.wrappingAdd(1, ordering: .relaxed).oldValue & Int.max % loops.count]
    }

    /// For requests that share a connection: one, for each loop has connections of its own. Most processes never need
    /// it.
    func sharingLoop() throws(CurlError) -> TransferLoop {
        if let loop = shared.withLock({ $0 }) { return loop }
        let made = try TransferLoop.further(sharing: idle, number: loops.count)
        return shared.withLock { loop in
            // Another may have been quicker.
            let kept = loop ?? made
            loop = kept
            return kept
        }
    }

    /// Works on a download until its file is in its place, the attempt fails, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - rate: The limit that it is held to; nil for the one that it was given with.
    ///   - log: Where its requests are accounted for.
    public func attempt(
        _ assignment: Assignment,
        keeper: any ProgressKeeper,
        meter: ProgressMeter,
        rate: DownloadRate? = nil,
        log: RequestLog? = nil
    ) async -> AttemptOutcome {
        let rate = rate ?? self.rate(of: assignment.download)
        let running = runningCount.wrappingAdd(1, ordering: .relaxed).newValue
        defer { runningCount.wrappingSubtract(1, ordering: .relaxed) }
        let authority = assignment.download.request.url.authority
        let buffers = BufferSizes(running: running).bounded(by: limiter.strictest(for: rate, at: authority))
        let loop = loop(for: authority)
        let watch = settings.speedFloor.map { floor in
            SpeedWatch(floor, meter, time) { [limiter] in limiter.isHoldingBack(rate) }
        }
        let run = { @Sendable in
            await Attempt(
                assignment,
                engine: self,
                loop: loop,
                buffers: buffers,
                keeper: keeper,
                meter: meter,
                rate: rate,
                log: log,
                speedWatch: watch
            ).run()
        }
        return if let watch { await watch.run(run) } else { await run() }
    }

    /// Finishes what a dead process had begun to publish: no network is needed for it.
    ///
    /// - Parameter blocks: What is recorded of the bytes.
    public func finishPublishing(
        _ download: Download,
        blocks: [BlockDigest] = [],
        keeper: any ProgressKeeper
    ) async -> AttemptOutcome {
        guard let file = download.file else { return .failed(.lostPart, madeProgress: false) }
        let publisher = Publisher(engine: self, keeper: keeper)
        do {
            return .published(try await publisher.resume(file, blocks, of: download))
        } catch {
            return AttemptOutcome(error, madeProgress: false)
        }
    }

    /// Finishes what an earlier attempt moved to its place and could not make durable there.
    ///
    /// - Returns: nil where no such file is there: the download is to be attempted as any other.
    public func finishPlaced(
        _ download: Download,
        blocks: [BlockDigest] = [],
        keeper: any ProgressKeeper
    ) async -> AttemptOutcome? {
        guard let file = download.file else { return nil }
        let publisher = Publisher(engine: self, keeper: keeper)
        do {
            return try await publisher.finishPlaced(file, blocks, of: download).map { .published($0) }
        } catch {
            return AttemptOutcome(error, madeProgress: false)
        }
    }

    /// Notes that a download waits for room on the disk.
    public func noteShortage() async {
        await pool.run { [space] in space.noteShortage() }
    }

    /// The room for those that wait for it, in bytes; nil while there is too little.
    public func roomForWaiting() async -> Int64? {
        await pool.run { [space] in space.roomForWaiting() }
    }

    /// Removes a part file that nobody needs any more, or what stands in its place. That it is missing is no fault.
    public func discardPart(_ id: DownloadID, generation: Int) async {
        // A part that cannot be removed now is swept at the next start.
        _ = try? await pool.run { [folders] () throws(SystemError) in
            try folders.parts.removeAll(PartName(id: id, generation: generation).text)
        }
    }

    /// Ends every transfer under way, and refuses later ones.
    public func shutdown() async {
        for loop in loops { await loop.shutdown() }
        await shared.withLock { $0 }?.shutdown()
    }
}

extension Int64 {
    fileprivate var addingTwentieth: Int64 {
        let (sum, overflow) = addingReportingOverflow(self / 20)
        return overflow ? .max : sum
    }
}
