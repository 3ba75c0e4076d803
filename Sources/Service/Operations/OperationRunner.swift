import Core
public import Logging
public import ServiceLifecycle
import Store

/// Carries out operations, one after the other in the order of their creation, step by step. After a restart it goes on
/// where the last step ended.
public struct OperationRunner: Service {
    private let service: DownloadService
    private let logger: Logger

    public init(_ service: DownloadService, logger: Logger) {
        self.service = service
        self.logger = logger
    }

    /// Works until the service stops; a step that has begun is ended.
    public func run() async throws {
        let wakes = service.store.notices.stream(of: .operations)
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
                guard let duration else { return }
                pace.record(duration)
                // It is the processor and the disk that rest, whatever clock the service has.
                try await Task.sleep(for: pace.rest)
            } catch is CancellationError {
                return
            } catch StoreError.closed {
                return
            } catch {
                logger.warning("step of an operation deferred", metadata: ["error": "\(error)"])
                try? await service.time.sleep(for: StoreRetry.firstInterval)
            }
        }
    }
}
