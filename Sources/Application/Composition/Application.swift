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
public final class Application: Sendable {
    public let hub: EventHub
    private let components: Components
    private let server: HTTPServer
    private let services: ServiceGroup
    private let logger: Logger

    public var store: Store { components.store }
    public var engine: Engine { components.engine }
    public var vault: CredentialVault { components.vault }
    public var running: RunningDownloads { components.running }
    public var rates: RateControl { components.rates }

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
            time: time,
            network: configuration.network
        )
        self.logger = logger
        do {
            components = try await Components(
                configuration,
                store: store,
                engine: engine,
                key: try folder.key(),
                time: time,
                logger: logger
            )
            let parts = Parts(configuration: configuration, components: components, time: time, logger: logger)
            let hub = parts.eventHub()
            let server = try parts.server(hub)
            (self.hub, self.server) = (hub, server)
            services = parts.group(hub, server)
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
}

/// The API and its server before their start.
private struct Parts {
    let configuration: ApplicationConfiguration
    let components: Components
    let time: TimeSource
    let logger: Logger

    func eventHub() -> EventHub {
        EventHub(
            service: components.downloads,
            running: components.running,
            settings: configuration.streams,
            time: time,
            logger: logger
        )
    }

    func server(_ hub: EventHub) throws -> HTTPServer {
        let api = API(
            API.Services(
                downloads: components.downloads,
                webhooks: components.webhooks,
                events: hub,
                running: components.running
            ),
            cursors: CursorSealer(
                seal: { [vault = components.vault] in vault.seal(bytes: $0) },
                open: { [vault = components.vault] in vault.open(bytes: $0) }
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
    func group(_ hub: EventHub, _ server: HTTPServer) -> ServiceGroup {
        let services: [any ServiceLifecycle.Service] =
            components.services() + [
                hub,
                APIService(
                    server: server,
                    events: hub,
                    running: components.running,
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
}
