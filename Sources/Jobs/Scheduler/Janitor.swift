public import Logging
public import Model
public import ServiceLifecycle
public import Store
public import Transfers

/// Deletes records that have been kept long enough, and looks after finished files. These stay, and their records with
/// them.
public actor Janitor: Service {
    private let store: Store
    private let engine: Engine
    private let ages: PurgeAges
    private let time: TimeSource
    private let logger: Logger
    private var clock: RetentionClock
    /// What is recorded of the clock for the next process.
    private var doubt: RetentionClock.Doubt?
    /// Where the walk over the finished files goes on; nil at the oldest.
    private var position: FinishedPosition?

    private static let interval = Duration.seconds(600)
    /// How often the clock is looked at: what ends while it is wrong has a wrong instant.
    private static let look = Duration.seconds(60)
    /// How many finished files are looked for each time, and how many at once. A million of them are looked for in two
    /// weeks, and nobody waits for the disk meanwhile.
    private static let looks = 500
    private static let looksAtOnce = 50
    /// How many finished files are looked for each time, to tell of those that are gone.
    private static let filesPerLook = 1000
    /// The last download whose file was looked for; nil to begin anew.
    private var looked: DownloadID?

    public init(store: Store, engine: Engine, ages: PurgeAges, time: TimeSource, logger: Logger) {
        self.store = store
        self.engine = engine
        self.ages = ages
        self.time = time
        self.logger = logger
        doubt = store.doubtAtOpening
        clock = RetentionClock(doubt, now: time.now, elapsed: time.elapsed)
    }

    /// Purges every ten minutes until the service stops, the first time ten minutes after the start: by then a machine
    /// that began with a wrong clock has been told the time. A purge that fails is tried again by the next.
    public func run() async throws {
        var next = time.elapsed + Self.interval
        await cancelWhenGracefulShutdown { await self.lookForFiles() }
        while await cancelWhenGracefulShutdown({ (try? await self.time.sleep(for: Self.look)) != nil }) {
            let now = time.now
            let instant = clock.instant(now: now, elapsed: time.elapsed)
            let isDue = time.elapsed >= next
            if isDue || (clock.doubt == nil) != (doubt == nil) { await noteDoubt() }
            guard isDue else { continue }
            next = time.elapsed + Self.interval
            await cancelWhenGracefulShutdown { await self.tidy(at: instant, now: now) }
            await cancelWhenGracefulShutdown { await self.lookForFiles() }
        }
    }

    /// Where it cannot be recorded the next look tries again.
    private func noteDoubt() async {
        let new = clock.doubt
        guard new != doubt, (try? await store.note(new)) != nil else { return }
        doubt = new
    }

    private func tidy(at instant: Timestamp, now: Timestamp) async {
        do {
            var isComplete = false
            while !isComplete && !Task.isCancelled {
                let purge = try await store.purge(ages, at: instant, now: now)
                for part in purge.parts { await engine.discardPart(part.id, generation: part.generation) }
                isComplete = purge.isComplete
            }
            try await purgeFinished(before: instant - ages.finishedDownloads)
        } catch {
            logger.warning("old records could not be purged", metadata: ["error": "\(error)"])
        }
    }

    /// Deletes the records of finished files that are gone. Each call looks at some of them; the next one continues.
    private func purgeFinished(before time: Timestamp) async throws {
        var left = Self.looks
        while left > 0 && !Task.isCancelled {
            let (downloads, next) = try await store.finished(before: time, after: position, limit: Self.looksAtOnce)
            var gone: [Download] = []
            for download in downloads {
                guard let file = download.file else { continue }
                // One that cannot be examined is not gone.
                var isGone = (try? await isMissing(file)) ?? false
                if !isGone { isGone = try await store.hasLostFile(download, countsPublishing: false) }
                if isGone { gone.append(download) }
            }
            if !gone.isEmpty { _ = try await store.deleteFinished(gone) }
            position = next
            left = next == nil ? 0 : left - Self.looksAtOnce
        }
    }

    nonisolated private func isMissing(_ file: PublishedFile) async throws -> Bool {
        try await engine.holdingPlace(of: file) { try await engine.misses(file) }
    }

    /// Notes those of the next finished files that are gone, or have another size by now.
    private func lookForFiles() async {
        do {
            let downloads = try await store.finishedFiles(after: looked, limit: Self.filesPerLook)
            for download in downloads where !Task.isCancelled {
                guard let file = download.file, !file.isMissing else { continue }
                // One that cannot be examined is not gone, and keeps no other from being looked for.
                guard (try? await isMissing(file)) == true else { continue }
                _ = try await store.noteFile(of: download.id, seen: file, found: file.missing, now: time.now)
            }
            looked = downloads.count == Self.filesPerLook ? downloads.last?.id : nil
        } catch {
            logger.warning("finished files could not be looked for", metadata: ["error": "\(error)"])
        }
    }
}
