public import Core
public import Logging
public import ServiceLifecycle
public import Store
public import Transfer

/// Removes what commits have left to be removed: part files that no download needs, and files of deleted records.
///
/// The tasks are rows, so a removal that fails, or that the end of the process prevents, is tried again.
public actor StorageCleaner: Service {
    private let store: Store
    private let engine: Engine
    private let time: TimeSource
    private let logger: Logger
    /// The roots whose last removal failed.
    private var failing: Set<RootName> = []

    private lazy var rounds = ClaimLoop { [weak self] in await self?.cleanUp() }
    private lazy var timer = WakeUpTimer(time: time) { [weak self] in await self?.rounds.run() }

    /// The number of tasks per step. Their end is recorded together.
    private static let step = 64
    /// A root that fails may be mounted again.
    private static let retryInterval = Duration.seconds(60)

    public init(store: Store, engine: Engine, time: TimeSource, logger: Logger) {
        self.store = store
        self.engine = engine
        self.time = time
        self.logger = logger
    }

    /// Runs until the service stops. Tasks that are left then are carried out after the next start.
    public func run() async throws {
        let wakes = store.notices.stream(of: .storage)
        await rounds.run()
        for await _ in wakes.cancelOnGracefulShutdown() { await rounds.run() }
        await rounds.stop()
        await timer.stop()
    }

    private func cleanUp() async {
        do {
            while true {
                let tasks = try await store.storageTasks(limit: Self.step, now: time.now)
                if let next = tasks.next { await timer.set(for: next) }
                guard !tasks.due.isEmpty else { return }
                var (done, failed): ([StorageTask], [StorageTask]) = ([], [])
                for task in tasks.due {
                    if await carryOut(task) { done.append(task) } else { failed.append(task) }
                }
                try await store.settle(done, failed: failed, tryingAgainAt: time.now + Self.retryInterval)
            }
        } catch StoreError.closed {
        } catch {
            logger.warning("removals not recorded", metadata: ["error": "\(error)"])
            await timer.set(for: time.now + Self.retryInterval)
        }
    }

    /// - Returns: Whether nothing is left to be removed.
    private func carryOut(_ task: StorageTask) async -> Bool {
        do {
            // Its error says why the root is away, for the log.
            try await engine.requireRoot(task.root)
            switch task.target {
            case .part(let generation):
                try await engine.discardPart(task.download, generation: generation, below: task.root)
            case .file(let file): try await discard(file, of: task.download)
            }
            failing.remove(task.root)
            return true
        } catch {
            // The tasks of a root that is away are tried for as long as it is, and logged once.
            if failing.insert(task.root).inserted {
                logger.warning(
                    "files not removed",
                    metadata: [
                        "download.id": "\(task.download)", "root": "\(task.root)", "error": "\(error)",
                    ]
                )
            }
            return false
        }
    }

    private nonisolated func discard(_ file: PublishedFile, of id: DownloadID) async throws {
        try await engine.withPathLocked(of: file) {
            // Another download may have recorded it since, by `on_conflict`.
            if try await !store.isRecorded(file, of: id) { try await engine.discardFile(file) }
        }
    }
}
