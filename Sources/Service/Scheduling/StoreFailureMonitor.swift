import Core
public import Logging
public import ServiceLifecycle
public import Store
import Transfer

/// Ends the service if the outcome of a commit is unknown, since only a restart can read the actual state from the
/// disk, or if the database is damaged.
public struct StoreFailureMonitor: Service {
    private let store: Store
    private let logger: Logger

    public init(store: Store, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// - Throws: ``StoreError/outcomeUnknown`` or ``StoreError/corrupt(_:)`` once the store has stopped.
    public func run() async throws {
        let failures = store.notices.stream(of: .failure)
        // The stream does not report a failure before it was opened.
        try check()
        for await _ in failures.cancelOnGracefulShutdown() { try check() }
    }

    private func check() throws {
        guard let failure = store.failure else { return }
        logger.critical("database failed, service stopped", metadata: ["error": "\(failure)"])
        throw failure
    }
}
