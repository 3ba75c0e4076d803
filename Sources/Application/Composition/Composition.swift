import API
import Core
import HTTPServer
import Linux
import Logging
import Service
import ServiceLifecycle
import Store
import Transfer
import UnixSignals

/// Composes the service: the one place that knows every part. Read it to see how they are connected.
///
/// Requests and workers never call each other: each commits to the store, and its notices wake the next.
public struct Composition {
    private let settings: Settings
    private let time = TimeSource.system
    private var shutdownBudget: ShutdownBudget { ShutdownBudget(total: settings.shutdownTimeout) }

    public init(_ settings: Settings) {
        self.settings = settings
    }

    /// Serves until the process is told to stop.
    public func serve() async throws {
        MemoryTuning.apply()
        try ProcessHardening.apply()
        ProcessHardening.ignoreHangUp()
        _ = try ProcessHardening.raiseDescriptorLimit()
        let logger = settings.makeLogger()
        let versions = try VersionText.long().split(separator: "\n").joined(separator: ", ")
        logger.info("starting", metadata: ["versions": "\(versions)"])
        let data = try DataFolder(path: settings.dataDirectory, folderMode: settings.folderMode)
        // The lock outlives every other part, because anything may write into the folder.
        defer { data.release() }
        let store = try openStore(data, logger)
        let vault = CredentialVault(key: try data.key(settings.keyFile))
        let engine = Engine(
            settings: settings.engine,
            folders: Folders(downloads: data.downloads, parts: data.parts),
            pool: BlockingPool(threads: 16, name: "files"),
            time: time
        )
        try await Finally.run {
            try await configureWebhook(store, vault, logger)
            let rates = try await rateControl(store, engine, logger)
            try await run(try services(store, engine, rates, data, vault, logger), logger)
        } finally: {
            await engine.shutdown()
            store.close()
            data.reserve.keepWhatIsLeft()
            logger.notice("stopped")
        }
    }

    private func openStore(_ data: DataFolder, _ logger: Logger) throws -> Store {
        let path = try data.databasePath()
        do {
            return try Store(
                path: path,
                beforeFirst: data.requireFirstStart,
                encode: JSONEncoding.encode,
                reserve: StoreReserve(release: { data.reserve.release() }, restore: { data.reserve.restore() }),
                reportUnreadable: logger.report,
                reportUnreadableEvent: logger.report
            )
        } catch StoreError.corrupt(let detail) {
            // A restart would find the same.
            throw CommandFailure(.config, "the database '\(path)' is damaged: \(detail)\n\(StoreError.damageAdvice)")
        }
    }

    /// The service also starts on a full disk: it can be read, and downloads go on once there is room.
    private func configureWebhook(_ store: Store, _ vault: CredentialVault, _ logger: Logger) async throws {
        do {
            try await store.configureWebhook(settings.webhookURL.map { vault.seal($0, hiding: .path) }, now: time.now)
        } catch StoreError.full {
            logger.error("webhook not updated: the disk is full")
        }
    }

    /// All start together and stop one after the other, the last one first: requests first, then the workers after
    /// their last bytes.
    private func services(
        _ store: Store,
        _ engine: Engine,
        _ rates: RateControl,
        _ data: DataFolder,
        _ vault: CredentialVault,
        _ logger: Logger
    ) throws -> [any Service] {
        let live = RunningDownloads()
        let secret = try webhookSecret(data)
        let scheduler = Scheduler(
            store: store,
            engine: engine,
            live: live,
            vault: vault,
            settings: settings.jobs,
            links: URLRefreshCoding(encode: JSONEncoding.encode, decode: JSONDecoding.link, sign: secret.fields),
            time: time,
            owner: RequestID(at: time.now).text,
            logger: logger
        )
        let service = DownloadService(
            store: store,
            engine: engine,
            live: live,
            rates: rates,
            vault: vault,
            settings: settings.jobs,
            time: time
        )
        let hub = eventHub(service, live, logger)
        let api = API(
            service: service,
            webhooks: webhookService(store, vault, secret),
            events: hub,
            live: live,
            cursors: CursorSealer(vault),
            settings: API.Settings(
                hosts: settings.hosts,
                token: try token(data, logger),
                corsOrigins: settings.corsOrigins,
                maxBodyBytes: settings.maxBodyBytes
            ),
            time: time,
            logger: logger
        )
        let server = try HTTPServer(configuration: settings.server, refuse: api.refuse, admit: api.admit)
        return [
            RateScheduler(rates, time: time),
            scheduler,
            dispatcher(store, vault, secret, logger),
            Janitor(store: store, engine: engine, ages: settings.jobs.purgeAges, time: time, logger: logger),
            StoreFailureMonitor(store: store, logger: logger),
            hub,
            APIService(
                server: server,
                events: hub,
                live: live,
                shutdownTimeout: shutdownBudget.requests,
                logger: logger
            ),
        ]
    }

    private func dispatcher(
        _ store: Store,
        _ vault: CredentialVault,
        _ secret: WebhookSecret,
        _ logger: Logger
    ) -> Dispatcher {
        Dispatcher(
            store: store,
            secret: secret,
            vault: vault,
            destinations: settings.webhookDestinations,
            userAgent: VersionText.userAgent,
            certificateAuthorityFile: settings.certificateAuthorityFile,
            gracePeriod: shutdownBudget.webhooks,
            schedule: DeliverySchedule(delays: settings.webhookRetryDelays),
            time: time,
            logger: logger
        )
    }

    private func webhookService(_ store: Store, _ vault: CredentialVault, _ secret: WebhookSecret) -> WebhookService {
        WebhookService(
            store: store,
            vault: vault,
            secret: secret,
            destinations: settings.webhookDestinations,
            userAgent: VersionText.userAgent,
            certificateAuthorityFile: settings.certificateAuthorityFile,
            retention: settings.jobs.purgeAges.events,
            time: time
        )
    }

    private func eventHub(_ service: DownloadService, _ live: RunningDownloads, _ logger: Logger) -> EventHub {
        EventHub(service: service, live: live, settings: settings.streams, time: time, logger: logger)
    }

    /// Its limits apply before the first claim.
    private func rateControl(_ store: Store, _ engine: Engine, _ logger: Logger) async throws -> RateControl {
        RateControl(
            settings: settings.rates,
            kept: try await store.limits(),
            engine: engine,
            time: time,
            utcOffsetMinutes: { LocalTime.utcOffsetMinutes(atMilliseconds: $0.milliseconds) },
            logger: logger
        )
    }

    private func run(_ services: [any Service], _ logger: Logger) async throws {
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) },
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        configuration.maximumGracefulShutdownDuration = shutdownBudget.services
        try await ServiceGroup(configuration: configuration).run()
    }

    /// On loopback no token is needed; elsewhere one is made if none is given.
    private func token(_ data: DataFolder, _ logger: Logger) throws -> String? {
        if let token = settings.token { return token.text }
        guard !settings.listen.isLoopback else { return nil }
        let token = try data.secret(named: "token", expecting: "a token of visible ASCII") { () throws(SystemError) in
            try RandomBytes.hexadecimal(count: 32)
        }
        guard !token.isEmpty else {
            throw CommandFailure(.config, "'\(data.path)/token' is empty: remove it to have a token made, or give one")
        }
        logger.notice("token required", metadata: ["file": "\(data.path)/token"])
        return token
    }

    private func webhookSecret(_ data: DataFolder) throws -> WebhookSecret {
        let expected = "'whsec_' and the base64 of 24 to 64 bytes"
        let text =
            try settings.webhookSecret?.text
            ?? data.secret(named: "webhook-secret", expecting: expected) { () throws(SystemError) in
                WebhookSecret.text(of: try RandomBytes.make(count: 32))
            }
        guard let secret = WebhookSecret(text) else {
            let name = settings.webhookSecret == nil ? "the file '\(data.path)/webhook-secret'" : "webhook_secret"
            throw CommandFailure(.config, "\(name) does not hold \(expected)")
        }
        return secret
    }
}

/// The shares of the shutdown time for the parts that stop one after the other. The next part gets what one does not
/// use; no part can use the next one's share.
struct ShutdownBudget {
    let total: Duration

    /// For in-flight requests. One that takes longer is cut off.
    var requests: Duration { total * 2 / 5 }

    /// For deliveries in flight. One that takes longer is sent again after the restart.
    var webhooks: Duration { total / 5 }

    /// Until workers that have not recorded their last bytes are abandoned to the next start: the end of the transfers
    /// and of the store takes a moment too.
    var services: Duration { total * 9 / 10 }
}

/// An end that follows in any case.
enum Finally {
    /// Runs `body`, then `end`, also where `body` throws.
    ///
    /// - Throws: The error of `body`, after the end.
    static func run(_ body: () async throws -> Void, finally end: () async -> Void) async throws {
        do {
            try await body()
        } catch {
            await end()
            throw error
        }
        await end()
    }
}

extension CursorSealer {
    /// Seals cursors with the key that seals credentials.
    init(_ vault: CredentialVault) {
        self.init(
            seal: { vault.seal(bytes: $0) },
            open: { vault.open(bytes: $0) }
        )
    }
}
