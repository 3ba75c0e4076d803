import Core
public import Logging
public import ServiceLifecycle
import Store

/// Carries out operations in steps, one operation after another in the order of creation. After a restart it continues
/// after the last step.
public struct OperationRunner: Service {
    private let service: DownloadService
    private let logger: Logger

    public init(_ service: DownloadService, logger: Logger) {
        self.service = service
        self.logger = logger
    }

    /// Runs until the service stops. A step that has begun is finished.
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
                // A rest of the processor and the disk takes real time, so the clock of the service does not apply.
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
