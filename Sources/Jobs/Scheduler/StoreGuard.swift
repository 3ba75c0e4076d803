public import Logging
public import ServiceLifecycle
public import Store

/// Ends the service when the outcome of a commit is unknown, as only a new start can read from the disk what happened,
/// and when the database is damaged.
public struct StoreGuard: Service {
    private let store: Store
    private let logger: Logger

    public init(store: Store, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// - Throws: ``StoreError/outcomeUnknown`` or ``StoreError/corrupt(_:)`` when that has come about.
    public func run() async throws {
        let failures = store.notices.stream(of: .failure)
        // One that came before this listened is announced to nobody.
        try check()
        for await _ in failures.cancelOnGracefulShutdown() { try check() }
    }

    private func check() throws {
        guard let failure = store.failure else { return }
        logger.critical("database failed, the service stops", metadata: ["error": "\(failure)"])
        throw failure
    }
}
