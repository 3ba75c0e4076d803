public import API
import Core
import HTTPServer
import Linux
public import Service
import ServiceLifecycle
public import Store
public import TestSupport
public import Transfer

/// The whole service in this process: a store, an engine, the scheduler, the dispatcher, and the API on a port of
/// its own. Its clock stands still until a test turns it.
public final class TestService: Sendable {
    public static let secretText = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    public let folder: TemporaryFolder
    public let time: ManualTime
    public let logs = LogBook()
    public let store: Store
    public let engine: Engine
    public let live = RunningDownloads()
    /// Local time is UTC.
    public let rates: RateControl
    public let vault: CredentialVault
    public let client: HTTPClient
    public let hub: EventHub
    public let options: Options
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// Starts on what is in `folder`, which may be another service's.
    public init(_ options: Options, folder: TemporaryFolder, time: ManualTime) async throws {
        (self.options, self.folder, self.time, vault) = (options, folder, time, CredentialVault(key: options.key))
        let root = try Directory(path: folder.path)
        store = try Store(
            path: folder("cormorant.db"),
            encode: JSONEncoding.encode,
            reportUnreadable: logs.logger.report,
            reportUnreadableEvent: logs.logger.report
        )
        try await store.configureWebhook(Self.webhook(options, vault), now: time.now)
        try await options.prepare(store)
        engine = Engine(
            settings: options.engine,
            folders: Folders(
                downloads: try root.openDirectory(relative: "downloads", creating: true, mode: 0o777),
                parts: try root.openDirectory(relative: "parts", creating: true, mode: 0o700)
            ),
            pool: BlockingPool(threads: 2),
            time: time.source
        )
        rates = RateControl(
            settings: options.limits,
            kept: try await store.limits(),
            engine: engine,
            time: time.source,
            utcOffsetMinutes: { _ in 0 },
            logger: logs.logger
        )
        let parts = TestServiceParts(
            options: options,
            store: store,
            engine: engine,
            live: live,
            rates: rates,
            vault: vault,
            time: time,
            logs: logs
        )
        let hub = parts.hub()
        self.hub = hub
        let server = try parts.server(hub)
        client = HTTPClient(port: server.port)
        var services: [any Service] = [
            parts.dispatcher(),
            Janitor(
                store: store,
                engine: engine,
                ages: options.jobs.purgeAges,
                time: time.source,
                logger: logs.logger
            ),
            StoreFailureMonitor(store: store, logger: logs.logger),
            hub,
            APIService(server: server, events: hub, live: live, shutdownTimeout: .seconds(20), logger: logs.logger),
        ]
        if options.runsScheduler { services.insert(parts.scheduler(), at: 0) }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: services.map { .init(service: $0) }, logger: logs.logger)
        )
        self.group = group
        running = Task { try await group.run() }
    }

    private static func webhook(_ options: Options, _ vault: CredentialVault) throws -> SourceURL? {
        try options.webhookURL.map { vault.seal(try SourceURL.parse($0).url, hiding: .path) }
    }

    /// Ends the service as a signal would.
    public func stop() async throws {
        await group.triggerGracefulShutdown()
        try await running.value
        await engine.shutdown()
        store.close()
    }
}

/// A service for one test, ended after it.
@discardableResult
public func withService<Value>(
    _ options: TestService.Options = TestService.Options(),
    folder: TemporaryFolder = TemporaryFolder(),
    time: ManualTime = ManualTime(),
    _ body: (TestService) async throws -> Value
) async throws -> Value {
    await Turnstile.services.enter()
    do {
        let result = try await serving(options, folder, time, body)
        await Turnstile.services.leave()
        return result
    } catch {
        await Turnstile.services.leave()
        throw error
    }
}

private func serving<Value>(
    _ options: TestService.Options,
    _ folder: TemporaryFolder,
    _ time: ManualTime,
    _ body: (TestService) async throws -> Value
) async throws -> Value {
    let service = try await TestService(options, folder: folder, time: time)
    let result: Value
    do {
        result = try await body(service)
    } catch {
        try? await service.stop()
        throw error
    }
    try await service.stop()
    return result
}

extension TestService {
    /// What a test wants otherwise than usual.
    public struct Options: Sendable {
        public var token: String?
        public var hosts: [String]? = ["localhost", "127.0.0.1", "::1"]
        public var corsOrigins: [String] = []
        public var maxBodyBytes = 1 << 20
        /// What credentials are sealed with.
        public var key = [UInt8](repeating: 7, count: 32)
        public var jobs = ServiceSettings()
        public var streams = StreamSettings()
        public var engine = EngineSettings(minFreeBytes: 0, flushBytes: 256 << 10)
        public var webhookURL: String?
        /// So long that no busy machine makes a receiver late.
        public var webhookTimeout = Duration.seconds(600)
        /// Nor a client that reads.
        public var idleTimeout = Duration.seconds(600)
        /// False leaves every download where it is, for tests that move it by hand.
        public var runsScheduler = true
        /// Done to the store before anything begins.
        public var prepare: @Sendable (Store) async throws -> Void = { _ in }

        /// The limits on the rate that the engine's settings name.
        var limits: ServiceLimits {
            ServiceLimits(bytesPerSecond: engine.rateLimit, bytesPerSecondPerHost: engine.rateLimitPerHost)
        }

        public init() {}

        /// Those of most tests, but for what `change` changes.
        public static func with(_ change: (inout Options) -> Void) -> Options {
            var options = Options()
            change(&options)
            return options
        }
    }
}

/// A service whose queue nobody works on.
public func withIdleService(
    jobs: ServiceSettings = ServiceSettings(),
    _ body: (TestService) async throws -> Void
) async throws {
    let options = TestService.Options.with {
        $0.runsScheduler = false
        $0.jobs = jobs
    }
    try await withService(options) { try await body($0) }
}
