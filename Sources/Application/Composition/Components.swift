import API
public import Core
public import Logging
public import Service
public import ServiceLifecycle
public import Store
public import Transfer

/// The components that do the work, connected: all but the API, which needs a server.
///
/// Request handlers and workers never call each other: each commits to the store, whose notices wake the others.
public struct Components: Sendable {
    public let store: Store
    public let engine: Engine
    public let vault: CredentialVault
    public let running = RunningDownloads()
    public let rates: RateControl
    public let downloads: DownloadService
    public let webhooks: WebhookService
    private let configuration: ApplicationConfiguration
    /// Identifies this process in its claims.
    private let node: String
    private let time: TimeSource
    private let logger: Logger

    /// Prepares the store. No work starts before ``services()`` run.
    ///
    /// - Parameters:
    ///   - key: What credentials are sealed with.
    ///   - time: The clocks of every component.
    public init(
        _ configuration: ApplicationConfiguration,
        store: Store,
        engine: Engine,
        key: [UInt8],
        time: TimeSource,
        logger: Logger
    ) async throws {
        (self.configuration, self.store, self.engine) = (configuration, store, engine)
        (self.time, self.logger) = (time, logger)
        vault = CredentialVault(key: key)
        node = RequestID(at: time.now).text
        try await Self.setWebhook(configuration.webhooks.url, of: store, vault, time, logger)
        try await configuration.prepare(store)
        // The stored limits must be in effect before the first claim.
        rates = RateControl(
            settings: configuration.limits,
            stored: try await store.limits(),
            engine: engine,
            running: running,
            time: time,
            utcOffsetMinutes: configuration.utcOffsetMinutes,
            logger: logger
        )
        downloads = DownloadService(
            store: store,
            engine: engine,
            running: running,
            rates: rates,
            vault: vault,
            settings: configuration.service,
            time: time
        )
        webhooks = WebhookService(
            store: store,
            vault: vault,
            settings: configuration.deliveries,
            retention: configuration.service.purgeAges.events,
            time: time
        )
        try await downloads.loadHostDeferrals()
    }

    /// Ignores a full disk, so that the service starts: clients can read, and downloads continue once there is space.
    private static func setWebhook(
        _ url: DownloadURL?,
        of store: Store,
        _ vault: CredentialVault,
        _ time: TimeSource,
        _ logger: Logger
    ) async throws {
        do {
            try await store.configureWebhook(url.map { vault.seal($0, hiding: .path) }, now: time.now)
        } catch StoreError.full {
            logger.error("webhook not updated: the disk is full")
        }
    }

    /// What runs beside the API, in the order of its start. It stops in the reverse order.
    public func services() -> [any ServiceLifecycle.Service] {
        [RateScheduler(rates, time: time)] + (configuration.runsScheduler ? [scheduler()] : []) + [
            Dispatcher(
                store: store,
                vault: vault,
                settings: configuration.deliveries,
                node: node,
                time: time,
                logger: logger
            ),
            OperationRunner(downloads, logger: logger),
            StorageCleaner(store: store, engine: engine, time: time, logger: logger),
            Janitor(
                store: store,
                engine: engine,
                ages: configuration.service.purgeAges,
                time: time,
                logger: logger
            ),
            StoreFailureMonitor(store: store, logger: logger),
        ]
    }

    private func scheduler() -> Scheduler {
        Scheduler(
            SchedulingParts(
                store: store,
                engine: engine,
                running: running,
                vault: vault,
                time: time,
                logger: logger
            ),
            settings: configuration.service,
            urlRefresh: URLRefreshCoding(
                encode: JSONEncoding.encode,
                decode: JSONDecoding.refreshedURL,
                sign: configuration.webhooks.secret.fields
            ),
            node: node
        )
    }
}

extension ApplicationConfiguration {
    fileprivate var deliveries: DeliverySettings {
        var settings = DeliverySettings(secret: webhooks.secret, userAgent: webhooks.userAgent)
        settings.destinations = service.webhooks
        settings.certificateAuthorityFile = webhooks.certificateAuthorityFile
        settings.timeout = webhooks.timeout
        settings.gracePeriod = shutdown.webhooks
        settings.schedule = webhooks.schedule
        settings.network = network
        return settings
    }
}
