import API
import Jobs
import Linux
import Logging
import MicroHTTP
import Model
import ServiceLifecycle
import Store
import Transfers
import UnixSignals
import Webhooks
import Wire

/// Puts the service together: the one place that knows every part. Read it to see how they hang together.
///
/// Requests and workers never call each other: each commits to the store, and the store's notices wake the next.
struct Composition {
    let settings: Settings
    let logger: Logger

    /// Serves until the process is told to stop.
    func serve() async throws {
        try ProcessHardening.apply()
        _ = try ProcessHardening.raiseDescriptorLimit()
        let time = TimeSource.system
        let data = try DataFolder(path: settings.dataDirectory)
        defer { data.lock.release() }
        let pool = BlockingPool(threads: 4, name: "files")

        let store = try Store(path: data.databasePath, encode: WireEncoder.encode)
        try await store.configureWebhook(settings.webhookURL, now: time.now)
        let vault = CredentialVault(key: try data.key(settings.keyFile))
        let engine = Engine(
            settings: settings.engine,
            folders: Folders(downloads: data.downloads, parts: data.parts),
            pool: pool,
            time: time
        )
        let live = LiveDownloads()
        let service = DownloadService(
            store: store,
            engine: engine,
            live: live,
            vault: vault,
            settings: settings.jobs,
            time: time
        )
        let scheduler = Scheduler(
            store: store,
            engine: engine,
            live: live,
            vault: vault,
            settings: settings.jobs,
            time: time,
            owner: RequestID(at: time.now).text,
            logger: logger
        )
        let api = API(
            service: service,
            live: live,
            cursors: CursorSealer(vault),
            settings: try apiSettings(data),
            time: time,
            logger: logger
        )
        let server = try HTTPServer(configuration: settings.server, refuse: api.refuse, handler: api.handle)
        logger.notice("listening", metadata: ["server.address": "\(settings.listen.host)", "server.port": "\(server.port)"])

        let services: [any Service] = [
            scheduler,
            Dispatcher(
                store: store,
                secret: try webhookSecret(data),
                userAgent: Version.userAgent,
                time: time,
                logger: logger
            ),
            Janitor(store: store, engine: engine, ages: settings.jobs.purgeAges, time: time, logger: logger),
            StoreGuard(store: store),
            APIService(server: server, live: live, drainTimeout: settings.drainTimeout, logger: logger),
        ]
        try await run(services)
        await engine.shutdown()
        store.close()
        logger.notice("stopped")
    }

    /// The services end in the reverse order: first nothing new comes in, last the workers write their last bytes.
    private func run(_ services: [any Service]) async throws {
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = settings.drainTimeout
        try await ServiceGroup(configuration: configuration).run()
    }

    /// On loopback everyone on this machine may ask, but no web page that borrows a name; elsewhere a token is needed.
    private func apiSettings(_ data: DataFolder) throws -> API.Settings {
        let isLoopback = settings.listen.isLoopback
        var token = settings.token
        if token == nil && !isLoopback {
            token = try data.secret(named: "token") { try RandomBytes.hexadecimal(count: 32) }
            logger.notice("requests need the token in this file", metadata: ["file": "\(settings.dataDirectory)/token"])
        }
        let loopbackNames = ["localhost", "127.0.0.1", "::1", settings.listen.host]
        return API.Settings(
            hosts: settings.publicHosts.isEmpty ? (isLoopback ? loopbackNames : nil) : settings.publicHosts + loopbackNames,
            token: token,
            corsOrigins: settings.corsOrigins,
            maxBodyBytes: settings.server.maxBodyBytes
        )
    }

    private func webhookSecret(_ data: DataFolder) throws -> WebhookSecret {
        let text = try settings.webhookSecret
            ?? data.secret(named: "webhook-secret") { WebhookSecret.text(of: try RandomBytes.make(count: 32)) }
        guard let secret = WebhookSecret(text) else { throw ConfigurationError("webhook_secret is not 'whsec_' and the base64 of 24 to 64 bytes") }
        return secret
    }
}
