public import API
public import Core
import HTTPServer
import Linux
public import Logging
public import Service
import ServiceLifecycle
public import Store
public import Transfer
import TransferRules
import UnixSignals

/// The composed service: the only place that knows every component and how they are connected. `cormorant serve` runs
/// one, and so does each test of the whole service.
///
/// Request handlers and workers never call each other: each commits to the store, whose notices wake the others.
public final class Application: Sendable {
    public let store: Store
    public let engine: Engine
    public let vault: CredentialVault
    public let running = RunningDownloads()
    public let rates: RateControl
    public let hub: EventHub
    private let server: HTTPServer
    private let services: ServiceGroup
    private let logger: Logger

    /// The port of the API.
    public var port: UInt16 { server.port }

    /// Opens the store and listens. No work starts before ``run()``.
    ///
    /// - Parameters:
    ///   - folder: Must belong to this process only while the application exists.
    ///   - time: The clocks of every component.
    /// - Throws: An error if a component cannot start. Then everything is closed again.
    public init(
        _ configuration: ApplicationConfiguration,
        in folder: ApplicationFolder,
        time: TimeSource,
        logger: Logger
    ) async throws {
        let store = try Self.openStore(folder, logger)
        let engine = Engine(
            settings: configuration.engine,
            roots: folder.roots,
            pool: BlockingPool(threads: configuration.fileThreads, name: "files"),
            time: time
        )
        (self.store, self.engine, self.logger) = (store, engine, logger)
        do {
            vault = CredentialVault(key: try folder.key())
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
            let parts = Parts(
                configuration: configuration,
                store: store,
                engine: engine,
                vault: vault,
                running: running,
                rates: rates,
                node: RequestID(at: time.now).text,
                time: time,
                logger: logger
            )
            let downloads = parts.downloads()
            try await downloads.loadHostDeferrals()
            let hub = parts.eventHub(downloads)
            let server = try parts.server(downloads, hub)
            (self.hub, self.server) = (hub, server)
            services = parts.group(downloads, hub, server)
        } catch {
            await Self.end(store, engine, logger)
            throw error
        }
    }

    /// Runs until ``stop()`` or a signal. When it returns, all data is durable and everything is closed.
    ///
    /// - Throws: The error that ended the service.
    public func run() async throws {
        do {
            try await services.run()
        } catch {
            await Self.end(store, engine, logger)
            throw error
        }
        await Self.end(store, engine, logger)
    }

    /// Starts a graceful shutdown, as a signal does.
    public func stop() async {
        await services.triggerGracefulShutdown()
    }

    private static func openStore(_ folder: ApplicationFolder, _ logger: Logger) throws -> Store {
        do {
            return try Store(
                .file(folder.databasePath, reserve: folder.reserve),
                beforeFirst: folder.requireFirstStart,
                encode: JSONEncoding.encode,
                reportUnreadable: logger.report,
                reportUnreadableEvent: logger.report
            )
        } catch StoreError.corrupt(let detail) {
            // This exit code tells supervisors that a restart would not help.
            let path = folder.databasePath
            throw CommandFailure(.config, "the database '\(path)' is damaged: \(detail)\n\(StoreError.damageAdvice)")
        }
    }

    private static func end(_ store: Store, _ engine: Engine, _ logger: Logger) async {
        await engine.shutdown()
        store.close()
        logger.notice("stopped")
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
}

/// The components before their start.
private struct Parts {
    let configuration: ApplicationConfiguration
    let store: Store
    let engine: Engine
    let vault: CredentialVault
    let running: RunningDownloads
    let rates: RateControl
    /// Identifies this process in its claims.
    let node: String
    let time: TimeSource
    let logger: Logger

    private var webhooks: ApplicationConfiguration.Webhooks { configuration.webhooks }

    func downloads() -> DownloadService {
        DownloadService(
            store: store,
            engine: engine,
            running: running,
            rates: rates,
            vault: vault,
            settings: configuration.service,
            time: time
        )
    }

    func eventHub(_ downloads: DownloadService) -> EventHub {
        EventHub(service: downloads, running: running, settings: configuration.streams, time: time, logger: logger)
    }

    func server(_ downloads: DownloadService, _ hub: EventHub) throws -> HTTPServer {
        let api = API(
            API.Services(
                downloads: downloads,
                webhooks: WebhookService(
                    store: store,
                    vault: vault,
                    settings: deliveries,
                    retention: configuration.service.purgeAges.events,
                    time: time
                ),
                events: hub,
                running: running
            ),
            cursors: CursorSealer(
                seal: { [vault] in vault.seal(bytes: $0) },
                open: { [vault] in vault.open(bytes: $0) }
            ),
            settings: configuration.api,
            time: time,
            logger: logger
        )
        var server = configuration.server
        server.vitalPaths = API.vitalPaths
        server.didListen = { [logger] in APIService.logListening(on: $0, logger, .notice) }
        return try HTTPServer(configuration: server, refuse: api.refuse, admit: api.admit)
    }

    /// All services start together. They stop one after another, the last one first: requests before workers, so that
    /// workers can record their last bytes.
    func group(_ downloads: DownloadService, _ hub: EventHub, _ server: HTTPServer) -> ServiceGroup {
        let scheduling: [any ServiceLifecycle.Service] = configuration.runsScheduler ? [scheduler()] : []
        let services: [any ServiceLifecycle.Service] =
            [RateScheduler(rates, time: time)] + scheduling + [
                dispatcher(),
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
                hub,
                APIService(
                    server: server,
                    events: hub,
                    running: running,
                    shutdownTimeout: configuration.shutdown.requests,
                    announce: configuration.announce,
                    logger: logger
                ),
            ]
        let signals =
            configuration.signals.map { signals in
                [
                    ServiceGroupConfiguration.ServiceConfiguration(
                        service: SignalService(signals),
                        successTerminationBehavior: .gracefullyShutdownGroup,
                        serviceName: "\(SignalService.self)"
                    )
                ]
            } ?? []
        var group = ServiceGroupConfiguration(
            services: signals + services.map { .init(service: $0, serviceName: "\(type(of: $0))") },
            logger: logger
        )
        group.maximumGracefulShutdownDuration = configuration.shutdown.services
        return ServiceGroup(configuration: group)
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
                sign: webhooks.secret.fields
            ),
            node: node
        )
    }

    private func dispatcher() -> Dispatcher {
        Dispatcher(store: store, vault: vault, settings: deliveries, node: node, time: time, logger: logger)
    }

    private var deliveries: DeliverySettings {
        var settings = DeliverySettings(secret: webhooks.secret, userAgent: webhooks.userAgent)
        settings.destinations = configuration.service.webhooks
        settings.certificateAuthorityFile = webhooks.certificateAuthorityFile
        settings.timeout = webhooks.timeout
        settings.gracePeriod = configuration.shutdown.webhooks
        settings.schedule = webhooks.schedule
        return settings
    }
}
