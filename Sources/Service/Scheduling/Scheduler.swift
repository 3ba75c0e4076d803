import Core
import Logging
public import ServiceLifecycle
import Store
import Transfer
import TransferRules

/// Decides what runs when: claims queued downloads while slots are free, starts a worker for each, and queues waiting
/// downloads when they are due.
///
/// It starts by taking over the downloads of an earlier process. When the service stops, it ends once every worker has
/// written and recorded its last byte.
public actor Scheduler: Service {
    private let store: Store
    private let engine: Engine
    private let running: RunningDownloads
    private let settings: ServiceSettings
    private let time: TimeSource
    private let logger: Logger
    private let worker: Worker
    private let recovery: Recovery
    /// Identifies this process in its claims.
    private let node: String

    private lazy var claims = ClaimLoop { [weak self] in await self?.claim() }
    private lazy var timer = WakeUpTimer(time: time) { [weak self] in await self?.timerFired() }
    private var isStopping = false
    private var clock = ClockStepDetector()
    /// Whether to search for waits that began later than now.
    private var isSetBack = false
    /// The task that checks for free space while downloads wait for it.
    private var spaceWatch: Task<Void, Never>?

    /// The delay before a recovery that found the disk full is repeated.
    private static let recoveryRetryInterval = Duration.seconds(5)
    /// How often the disk is checked while downloads wait for space.
    private static let spaceInterval = Duration.seconds(5)

    /// - Parameter node: Identifies this process in its claims.
    public init(_ parts: SchedulingParts, settings: ServiceSettings, urlRefresh: URLRefreshCoding, node: String) {
        store = parts.store
        engine = parts.engine
        running = parts.running
        time = parts.time
        logger = parts.logger
        self.settings = settings
        self.node = node
        let validator = DownloadValidator(settings: settings, vault: parts.vault, roots: parts.engine.rootNames)
        let refresher = URLRefresher(engine: parts.engine, validator: validator, coding: urlRefresh, time: parts.time)
        worker = Worker(parts, policy: settings.retryPolicy, urlRefresher: refresher)
        recovery = Recovery(store: parts.store, engine: parts.engine, logger: parts.logger)
    }

    /// Runs until the service stops.
    ///
    /// - Throws: ``StoreError`` if the recovery fails, except on a full disk.
    public func run() async throws {
        let wakes = store.notices.stream(of: .downloads)
        guard let left = try await adopt() else { return }
        // Also moves what an earlier process left in the write-ahead log into the database file.
        await store.truncateLog()
        for claimed in left { start(claimed) }
        running.recordRecovered()
        await sweepAndSetTimer()
        if await releaseSpace() { watchSpace() }
        await claims.run()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in self.engine.hosts.openings.cancelOnGracefulShutdown() { await self.claims.run() }
            }
            group.addTask {
                for await _ in self.engine.hosts.delayChanges.cancelOnGracefulShutdown() {
                    await self.worker.recordDelays()
                }
            }
            group.addTask {
                for await _ in self.running.dueChanges.cancelOnGracefulShutdown() { await self.setTimer() }
            }
            for await _ in wakes.cancelOnGracefulShutdown() { await claims.run() }
            group.cancelAll()
        }
        await stop()
    }

    /// Runs the recovery as soon as the database takes its records: a disk may be full. Until then clients can only
    /// read.
    ///
    /// - Returns: The downloads whose publishing must be finished; nil if the service stops first.
    private func adopt() async throws -> [ClaimedDownload]? {
        while true {
            do {
                return try await recovery.run(node: node, now: time.now)
            } catch let error as StoreError where error.isTemporary {
                logger.error("recovery deferred", metadata: ["error": "\(error)"])
                let slept: Void? = await cancelWhenGracefulShutdown { [time] in
                    try? await time.sleep(for: Self.recoveryRetryInterval)
                }
                if slept == nil { return nil }
            }
        }
    }

    private func stop() async {
        isStopping = true
        await claims.stop()
        await timer.stop()
        spaceWatch?.cancel()
        let left = await running.shutdown()
        await worker.recordDelays()
        try? await store.recordStop(of: node, now: time.now)
        if left == 0 {
            logger.info("workers stopped")
        } else {
            logger.warning("workers not stopped in time", metadata: ["workers": .stringConvertible(left)])
        }
    }

    // MARK: - Claiming

    /// Only ``claims`` calls it, so calls never overlap.
    private func claim() async {
        // Leave downloads in the queue that could not start, or would be stopped at once.
        guard !running.isShuttingDown, !running.isPaused, !engine.isSpaceLow,
            running.count < settings.maxConcurrent
        else { return }
        let (running, settings, hosts) = (running, settings, engine.hosts)
        let perHost = min(settings.maxPerHost ?? hosts.maxLimit, hosts.maxLimit)
        for authority in running.hostDeferrals.removeEnded(now: time.now, hosts) {
            try? await store.allowClaims(of: authority)
        }
        running.beginClaim()
        defer { running.endClaim() }
        do {
            // Only this actor adds workers, one claim at a time, so the number of free slots can only grow.
            let claim = try await store.claim(
                Slots(
                    free: settings.maxConcurrent - running.count,
                    perHost: perHost,
                    isSharedByFree: settings.maxPerHost == nil,
                    hostRooms: hosts.claimRooms(below: min(perHost, settings.maxConcurrent - running.count))
                ),
                node: node,
                now: time.now
            )
            // The next start takes over downloads that were claimed while the service began to stop.
            guard !isStopping else { return }
            hosts.recordClaim(
                of: claim.downloads.map { ($0.download.request.url.authority, $0.claim.id) },
                leaving: claim.left
            )
            for claimed in claim.downloads { start(claimed) }
        } catch {
            logger.error("downloads not claimed", metadata: ["error": "\(error)"])
            await timer.set(for: time.now + StoreRetry.firstInterval)
        }
    }

    /// Starts a worker for a claim in a task of its own, so that it can be stopped separately.
    private func start(_ claimed: ClaimedDownload) {
        let id = claimed.claim.id
        let progress = claimed.download.progress
        let meter = ProgressMeter(
            receivedBytes: progress.durableBytes,
            totalBytes: progress.totalBytes,
            recorded: claimed.segments,
            time: time
        )
        let rate = engine.rate(of: claimed.download, session: claimed.context.sessionRate)
        if let session = claimed.context.sessionRate, let changed = running.changedRate(of: session.name) {
            engine.setRate(of: changed)
        }
        let predecessor = running.worker(of: id)
        predecessor?.cancel()
        // Detached, because it would inherit the task-local values of the service's life cycle: 1 KiB of stack for its
        // copy, and another for each child task.
        let task = Task.detached(priority: Task.currentPriority) {
            await self.work(on: claimed, after: predecessor, meter, rate)
        }
        // The work begins on this actor, so after this code: the task cannot leave before it is registered.
        let entry = RunningDownloads.Entry(
            epoch: claimed.claim.epoch,
            session: claimed.download.request.session,
            meter: meter,
            rate: rate,
            task: task
        )
        running.enter(id, entry)
    }

    private func work(
        on claimed: ClaimedDownload,
        after predecessor: Task<Void, Never>?,
        _ meter: ProgressMeter,
        _ rate: DownloadRate
    ) async {
        // Two workers must not write one part file, even if the older one's claim is stale.
        await predecessor?.value
        await worker.run(claimed, meter: meter, rate: rate)
        running.leave(claimed.claim.id, epoch: claimed.claim.epoch)
        if engine.isSpaceShort { watchSpace() }
        await claims.run()
    }

    // MARK: - Space

    private func watchSpace() {
        guard spaceWatch == nil, !isStopping else { return }
        spaceWatch = Task { [time] in
            repeat {
                guard (try? await time.sleep(for: Self.spaceInterval)) != nil else { return }
            } while await checkSpace()
        }
    }

    /// - Returns: Whether space must be looked for again.
    private func checkSpace() async -> Bool {
        let isAwaited = await releaseSpace()
        await claims.run()
        // Another download may have started to wait in the meantime.
        if isAwaited || engine.isSpaceShort { return true }
        spaceWatch = nil
        return false
    }

    /// Queues downloads that wait for space, as many as fit.
    ///
    /// - Returns: Whether a download or the queue still waits.
    private func releaseSpace() async -> Bool {
        engine.clearAwaited()
        do {
            var isAwaited = false
            let roots = Set(try await store.rootsShortOfSpace())
            // A root can be short of space though none of its downloads waits any more: the queue waits then.
            for root in roots.union(engine.rootsShortOfSpace) {
                try await endSpaceDeadlock(in: root)
                let room = await engine.roomForWaiting(in: root)
                if try await store.releaseSpace(room, of: root, needs: spaceNeeds, now: time.now) {
                    isAwaited = true
                }
            }
            return isAwaited
        } catch {
            logger.error("downloads that wait for space not checked", metadata: ["error": "\(error)"])
            return true
        }
    }

    private var spaceNeeds: DownloadSpaceNeeds {
        DownloadSpaceNeeds(known: running.spaceNeeds.all, unknownLength: engine.leastRoom)
    }

    /// Gives up a part file if downloads of unknown length hold the space from one another.
    private func endSpaceDeadlock(in root: RootName) async throws {
        guard let room = await engine.roomAboveLimit(in: root),
            let id = try await store.endSpaceDeadlock(in: root, room: room, needs: spaceNeeds, now: time.now)
        else { return }
        // It needs more now than its last attempt has found.
        running.spaceNeeds.record(id, nil)
        logger.warning(
            "bytes discarded, so that an older download has space",
            metadata: ["download.id": "\(id)", "root": "\(root)"]
        )
    }

    // MARK: - The clock

    /// Records whether the clock was set back since the last check. An earlier wait would then end too late.
    private func checkClock() {
        if clock.wasSetBack(now: time.now, elapsed: time.elapsed) { isSetBack = true }
    }

    private func setTimer() async {
        checkClock()
        if let due = running.removeDue() { await timer.set(for: due) }
    }

    private func timerFired() async {
        await sweepAndSetTimer()
        await claims.run()
    }

    private func sweepAndSetTimer() async {
        do {
            try await sweep()
            if let due = try await store.nextDue() { await timer.set(for: due) }
        } catch {
            logger.error("due downloads not updated", metadata: ["error": "\(error)"])
            await timer.set(for: time.now + StoreRetry.firstInterval)
        }
    }

    private func sweep() async throws {
        checkClock()
        var isComplete = false
        var looksForStalled = false
        while !isComplete {
            // The clock may be set back again during the sweep.
            looksForStalled = looksForStalled || isSetBack
            isSetBack = false
            do {
                let sweep = try await store.sweep(isSetBack: looksForStalled, now: time.now)
                for (id, epoch) in sweep.stoppedEpochs { _ = running.stop(id, epoch: epoch) }
                isComplete = sweep.isComplete && !isSetBack
            } catch {
                if looksForStalled { isSetBack = true }
                throw error
            }
        }
    }
}
