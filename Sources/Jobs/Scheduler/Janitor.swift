public import Logging
public import Model
public import ServiceLifecycle
public import Store
public import Transfers

/// Deletes records that have been kept long enough. Finished files stay.
public struct Janitor: Service {
    let store: Store
    let engine: Engine
    let ages: PurgeAges
    let time: TimeSource
    let logger: Logger

    private static let interval = Duration.seconds(600)

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
            while !Task.isCancelled {
                await tidy()
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
}
