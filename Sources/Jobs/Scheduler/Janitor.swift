public import Logging
public import Model
public import ServiceLifecycle
public import Store
public import Transfers

/// Deletes records that have been kept long enough, and looks after finished files, which stay.
public struct Janitor: Service {
    let store: Store
    let engine: Engine
    let ages: PurgeAges
    let time: TimeSource
    let logger: Logger

    private static let interval = Duration.seconds(600)
    /// How many finished files are looked for at a time.
    private static let filesPerLook = 1000

    public init(store: Store, engine: Engine, ages: PurgeAges, time: TimeSource, logger: Logger) {
        self.store = store
        self.engine = engine
        self.ages = ages
        self.time = time
        self.logger = logger
    }

    /// Purges every ten minutes until the service stops. A purge that fails is tried again by the next.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var looked: DownloadID?
            while !Task.isCancelled {
                await tidy()
                looked = await lookForFiles(after: looked)
                try? await time.sleep(for: Self.interval)
            }
        }
    }

    private func tidy() async {
        do {
            var isComplete = false
            while !isComplete && !Task.isCancelled {
                let purge = try await store.purge(ages, now: time.now)
                for part in purge.parts { await engine.discardPart(part.id, generation: part.generation) }
                isComplete = purge.isComplete
            }
        } catch {
            logger.warning("old records could not be purged", metadata: ["error": "\(error)"])
        }
    }

    /// Notes those of the next finished files that are gone, or have another size by now.
    ///
    /// - Returns: Where to go on; nil to begin anew.
    private func lookForFiles(after last: DownloadID?) async -> DownloadID? {
        do {
            let downloads = try await store.finishedFiles(after: last, limit: Self.filesPerLook)
            for download in downloads where !Task.isCancelled {
                guard let file = download.file, !file.isMissing else { continue }
                let isMissing = try await engine.holdingPlace(of: file) { try await engine.misses(file) }
                guard isMissing else { continue }
                _ = try await store.noteFile(of: download.id, seen: file, found: file.missing, now: time.now)
            }
            return downloads.count == Self.filesPerLook ? downloads.last?.id : nil
        } catch {
            logger.warning("finished files could not be looked for", metadata: ["error": "\(error)"])
            return last
        }
    }
}
