public import Core
public import Logging
public import Store
public import Transfer

/// The parts that the scheduler and its workers share.
public struct SchedulingParts: Sendable {
    let store: Store
    let engine: Engine
    let running: RunningDownloads
    let vault: CredentialVault
    let time: TimeSource
    let logger: Logger

    public init(
        store: Store,
        engine: Engine,
        running: RunningDownloads,
        vault: CredentialVault,
        time: TimeSource,
        logger: Logger
    ) {
        self.store = store
        self.engine = engine
        self.running = running
        self.vault = vault
        self.time = time
        self.logger = logger
    }
}
