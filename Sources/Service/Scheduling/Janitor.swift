public import Core
public import Logging
public import ServiceLifecycle
public import Store
public import Transfer

/// Purges old records, removes finished files whose time is over (``FileExpiry``), and checks the others. It keeps the
/// record of a file as long as the file exists.
public actor Janitor: Service {
    private let store: Store
    private let engine: Engine
    private let ages: PurgeAges
    private let expiry: FileExpiry
    private let time: TimeSource
    private let logger: Logger
    private var clock: RetentionClock
    private var steadiness: ClockSteadiness
    /// What was recorded about the clock for the next process.
    private var doubt: RetentionClock.Doubt?
    /// The position of the iteration over finished files; nil to start at the oldest.
    private var position: FinishedPosition?

    private static let interval = Duration.seconds(600)
    /// How often the clock is checked, because instants recorded while it is wrong are wrong, and files are removed.
    private static let clockInterval = Duration.seconds(60)
    /// The number of finished files per round, and of records per read. At this pace a million files take a week, and
    /// the disk stays available for other work.
    private static let filesPerRound = 1000
    private static let filesAtOnce = 50

    public init(store: Store, engine: Engine, ages: PurgeAges, time: TimeSource, logger: Logger) {
        self.store = store
        self.engine = engine
        self.ages = ages
        self.time = time
        self.logger = logger
        expiry = FileExpiry(store: store, engine: engine, period: ages.files, time: time, logger: logger)
        doubt = store.doubtAtOpening
        steadiness = ClockSteadiness(now: time.now, elapsed: time.elapsed)
        clock = RetentionClock(doubt, now: time.now, elapsed: time.elapsed)
    }

    /// Removes files every minute, and purges every ten minutes, until the service stops. The first purge is ten
    /// minutes after the start: by then a machine that booted with a wrong clock has the right time. The next round
    /// repeats a failed purge. Records that are kept for less time are purged every minute.
    public func run() async throws {
        let interval = min(max(ages.finishedDownloads ?? Self.interval, Self.clockInterval), Self.interval)
        var next = time.elapsed + interval
        await cancelWhenGracefulShutdown { await self.checkFiles(purgingBefore: nil) }
        while await cancelWhenGracefulShutdown({ (try? await self.time.sleep(for: Self.clockInterval)) != nil }) {
            let now = time.now
            let instant = clock.instant(now: now, elapsed: time.elapsed)
            steadiness.check(now: now, elapsed: time.elapsed)
            let ages = AgeClock(proven: instant, now: now, steadySince: steadiness.since)
            await cancelWhenGracefulShutdown { await self.expiry.run(at: ages) }
            let isDue = time.elapsed >= next
            if isDue || (clock.doubt == nil) != (doubt == nil) { await recordDoubt() }
            guard isDue else { continue }
            next = time.elapsed + interval
            await cancelWhenGracefulShutdown { await self.cleanUp(at: instant, now: now) }
            await cancelWhenGracefulShutdown {
                await self.checkFiles(
                    purgingBefore: AgeClock.latestEnd(of: self.ages.finishedDownloads, at: instant)
                )
            }
        }
    }

    /// If the write fails, the next check tries again.
    private func recordDoubt() async {
        let new = clock.doubt
        guard new != doubt, (try? await store.record(new)) != nil else { return }
        doubt = new
    }

    private func cleanUp(at instant: Timestamp, now: Timestamp) async {
        do {
            var isComplete = false
            while !isComplete && !Task.isCancelled {
                isComplete = try await store.purge(ages, at: instant, now: now).isComplete
            }
        } catch {
            logger.warning("old records not purged", metadata: ["error": "\(error)"])
        }
    }

    /// Checks the next finished files. Records missing ones, and deletes the records of missing ones that finished
    /// before an instant.
    ///
    /// - Parameter instant: nil to delete no record.
    private func checkFiles(purgingBefore instant: Timestamp?) async {
        do {
            var left = Self.filesPerRound
            while left > 0 && !Task.isCancelled {
                let (downloads, next) = try await store.finished(after: position, limit: Self.filesAtOnce)
                var gone: [Download] = []
                for download in downloads where !Task.isCancelled {
                    guard let (current, isMissing) = try await check(download), isOld(current, instant) else {
                        continue
                    }
                    // A skipped file has another record, or is none of the service's.
                    var isGone = isMissing || current.file?.isSkipped == true
                    if !isGone { isGone = try await store.hasLostFile(current) }
                    if isGone { gone.append(current) }
                }
                if !gone.isEmpty { _ = try await store.deleteFinished(gone) }
                position = next
                left = next == nil ? 0 : left - Self.filesAtOnce
            }
        } catch {
            logger.warning("finished files not checked", metadata: ["error": "\(error)"])
        }
    }

    /// Checks one finished file, and records if it is missing or has another size.
    ///
    /// - Returns: The recorded download, and whether its file is missing; nil if it has no file or was deleted.
    private func check(_ download: Download) async throws -> (download: Download, isGone: Bool)? {
        guard let file = download.file else { return nil }
        // Another file may be in its place.
        if file.expiredAt != nil { return (download, file.isMissing) }
        // A file that cannot be examined does not count as missing.
        guard (try? await isMissing(file)) ?? false else { return (download, false) }
        guard !file.isMissing else { return (download, true) }
        let recorded = try await store.recordFile(of: download.id, seen: file, found: file.missing, now: time.now)
        return recorded.map { ($0, $0.file?.isMissing ?? false) }
    }

    private func isOld(_ download: Download, _ instant: Timestamp?) -> Bool {
        guard let instant, let finishedAt = download.times.finishedAt else { return false }
        return finishedAt <= instant
    }

    nonisolated private func isMissing(_ file: PublishedFile) async throws -> Bool {
        try await engine.withPathLocked(of: file) { try await engine.state(of: file) == .missing }
    }
}
