import Core
public import Logging
public import ServiceLifecycle
import Store
import Synchronization

/// Carries out operations in steps, one operation after another in the order of creation. After a restart it continues
/// after the last step. An operation whose step fails is tried again later, and the others continue meanwhile.
public struct OperationRunner: Service {
    private let service: DownloadService
    private let logger: Logger
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private let retry = RetryTimer()

    public init(_ service: DownloadService, logger: Logger) {
        self.service = service
        self.logger = logger
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Runs until the service stops. A step that has begun is finished.
    public func run() async throws {
        let notices = service.store.notices.stream(of: .operations)
        let relay = Task { for await _ in notices { wake.yield() } }
        defer {
            relay.cancel()
            retry.cancel()
        }
        await cancelWhenGracefulShutdown { await self.carryOutAll() }
        for await _ in wakes.cancelOnGracefulShutdown() {
            await cancelWhenGracefulShutdown { await self.carryOutAll() }
        }
    }

    private func carryOutAll() async {
        var pace = StepPace()
        while !Task.isCancelled {
            do {
                let duration = try await service.carryOutStep(limit: pace.size) { id, cause in
                    logger.warning("file not removed", metadata: ["download.id": "\(id)", "error": "\(cause)"])
                }
                guard let duration else { break }
                pace.record(duration)
                // A rest of the processor and the disk takes real time, so the clock of the service does not apply.
                try await Task.sleep(for: pace.rest)
            } catch is CancellationError {
                return
            } catch StoreError.closed {
                return
            } catch let step as StepDeferred {
                logger.warning(
                    "step of an operation deferred",
                    metadata: ["operation.id": "\(step.operation)", "error": "\(step.cause)"]
                )
            } catch {
                logger.warning("step of an operation deferred", metadata: ["error": "\(error)"])
                try? await service.time.sleep(for: StoreRetry.firstInterval)
            }
        }
        guard !service.deferredOperations.isEmpty else { return }
        retry.start(after: DeferredOperations.delay, service.time) { wake.yield() }
    }
}

/// At most one delayed call at a time.
private final class RetryTimer: Sendable {
    private let task = Mutex<Task<Void, Never>?>(nil)

    func start(after delay: Duration, _ time: TimeSource, _ call: @escaping @Sendable () -> Void) {
        task.withLock { task in
            guard task == nil else { return }
            task = Task { [self] in
                guard (try? await time.sleep(for: delay)) != nil else { return }
                self.task.withLock { $0 = nil }
                call()
            }
        }
    }

    func cancel() { task.withLock { $0?.cancel() } }
}
