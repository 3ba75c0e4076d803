public import ServiceLifecycle
public import Store

/// Ends the service when the outcome of a commit is unknown: only a new start can read from the disk what happened.
public struct StoreGuard: Service {
    private let store: Store

    public init(store: Store) {
        self.store = store
    }

    /// - Throws: ``StoreError/outcomeUnknown`` when that has come about.
    public func run() async throws {
        let failures = store.notices.stream(of: .failure)
        // One that came before this listened is announced to nobody.
        if store.hasFailed { throw StoreError.outcomeUnknown }
        for await _ in failures.cancelOnGracefulShutdown() { throw StoreError.outcomeUnknown }
    }
}
