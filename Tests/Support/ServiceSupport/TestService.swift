public import API
import Application
public import Core
import Curl
import HTTPServer
import Linux
public import Service
public import Store
import Synchronization
public import TestSupport
public import Transfer

/// The whole service in this process, as `serve` runs it, on a port of its own. Its clock stands still until a test
/// turns it.
public final class TestService: Sendable {
    public static let secretText = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    public let folder: TemporaryFolder
    public let time: ManualTime
    public let logs = LogRecorder()
    public let client: HTTPClient
    public let options: Options
    private let application: Application
    private let run: Task<Void, any Error>

    public var store: Store { application.store }
    public var engine: Engine { application.engine }
    public var running: RunningDownloads { application.running }
    public var rates: RateControl { application.rates }
    public var vault: CredentialVault { application.vault }
    public var hub: EventHub { application.hub }

    /// Starts on what is in `folder`, which may be another service's.
    public init(_ options: Options, folder: TemporaryFolder, time: ManualTime) async throws {
        (self.options, self.folder, self.time) = (options, folder, time)
        let root = try Directory(path: folder.path)
        let application = try await Application(
            try options.configuration(),
            in: ApplicationFolder(
                databasePath: folder("cormorant.db"),
                roots: try options.roots(in: root),
                key: { options.key }
            ),
            time: time.source,
            logger: logs.logger
        )
        self.application = application
        client = HTTPClient(port: application.port)
        run = Task { try await application.run() }
    }

    /// Ends the service as a signal would.
    public func stop() async throws {
        await application.stop()
        try await run.value
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
    await AsyncSemaphore.services.enter()
    do {
        let result = try await serving(options, folder, time, body)
        await AsyncSemaphore.services.leave()
        return result
    } catch {
        await AsyncSemaphore.services.leave()
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
        public var servesPage = true
        public var shownSettings: [ShownSetting] = []
        /// What credentials are sealed with.
        public var key = [UInt8](repeating: 7, count: 32)
        /// The origins of a test are often one host, which may have all slots.
        public var jobs = TestSupport.with(ServiceSettings()) { $0.maxPerHost = 64 }
        public var streams = StreamSettings()
        public var engine = EngineSettings(minFreeBytes: 0, flushBytes: 256 << 10)
        /// When of the week another limit holds than that of the engine's settings.
        public var rateSchedule = RateSchedule.none
        /// By how much local time is ahead of UTC at an instant.
        public var utcOffsetMinutes: @Sendable (Timestamp) -> Int = { _ in 0 }
        public var webhookURL: String?
        /// The names of further roots, each in a folder of its own.
        public var roots: [String] = []
        /// Roots that cannot be opened, until they are removed from the set.
        public let missingRoots = MissingRoots()
        /// So long that no busy machine makes a receiver late.
        public var webhookTimeout = Duration.seconds(600)
        /// Nor a client that reads.
        public var idleTimeout = Duration.seconds(600)
        /// False leaves every download where it is, for tests that move it by hand.
        public var runsScheduler = true
        /// Done to the store before anything begins.
        public var prepare: @Sendable (Store) async throws -> Void = { _ in }

        public init() {}

        /// Those of most tests, but for what `change` changes.
        public static func with(_ change: (inout Options) -> Void) -> Options {
            var options = Options()
            change(&options)
            return options
        }
    }
}

/// The roots whose disks are not there.
public final class MissingRoots: Sendable {
    private let names = Mutex<Set<String>>([])

    public func insert(_ name: String) { _ = names.withLock { $0.insert(name) } }

    public func remove(_ name: String) { _ = names.withLock { $0.remove(name) } }

    func contains(_ name: RootName) -> Bool { names.withLock { $0.contains(name.text) } }
}

extension TestService.Options {
    /// The folder `downloads` with the parts in `parts`, and for each further root a folder of its name.
    fileprivate func roots(in folder: Directory) throws -> [Root] {
        let downloads = Folders(
            downloads: try folder.openDirectory(relative: "downloads", creating: true, mode: 0o777),
            parts: try folder.openDirectory(relative: "parts", creating: true, mode: 0o700)
        )
        return [Root(.downloads, downloads)]
            + roots.compactMap { RootName($0) }.map { [missingRoots] name in
                let open = { @Sendable () throws(RootUnavailable) -> Folders in
                    guard !missingRoots.contains(name) else { throw RootUnavailable(name, "its disk is not mounted") }
                    do throws(SystemError) {
                        let root = try folder.openDirectory(relative: name.text, creating: true, mode: 0o777)
                        let parts = try root.openDirectory(relative: ".cormorant", creating: true, mode: 0o700)
                        return Folders(downloads: root, parts: parts, abilities: try? parts.probeAbilities())
                    } catch {
                        throw RootUnavailable(name, error.message)
                    }
                }
                let isCurrent = { @Sendable (folders: Folders) -> Bool in
                    !missingRoots.contains(name)
                        && (try? folder.openDirectory(relative: name.text))?.identity == folders.downloads.identity
                }
                return Root(name, folders: try? open(), isCurrent: isCurrent, open: open)
            }
    }

    fileprivate func configuration() throws -> ApplicationConfiguration {
        guard let secret = WebhookSecret(TestService.secretText) else {
            preconditionFailure("the tests' secret is one")
        }
        var webhooks = ApplicationConfiguration.Webhooks(secret: secret, userAgent: "Cormorant/test")
        webhooks.url = try webhookURL.map { try GivenURL(parsing: $0).url }
        webhooks.timeout = webhookTimeout
        var configuration = ApplicationConfiguration(
            webhooks: webhooks,
            // However busy the machine is, nobody who works is left behind.
            shutdown: ShutdownBudget(requests: .seconds(20), webhooks: .seconds(5), services: nil),
            utcOffsetMinutes: utcOffsetMinutes
        )
        configuration.engine = engine
        configuration.service = jobs
        configuration.limits = ServiceLimits(
            bytesPerSecond: engine.rateLimit,
            bytesPerSecondPerHost: engine.rateLimitPerHost,
            schedule: rateSchedule
        )
        configuration.streams = streams
        configuration.api = API.Settings(
            hosts: hosts,
            token: token,
            corsOrigins: corsOrigins,
            maxBodyBytes: maxBodyBytes,
            servesPage: servesPage,
            shown: shownSettings
        )
        configuration.server.addresses = [ServerAddress(port: 0)]
        configuration.server.threads = 1
        configuration.server.idleTimeout = idleTimeout
        configuration.fileThreads = 2
        // Those of the process are the test runner's.
        configuration.runsScheduler = runsScheduler
        configuration.prepare = prepare
        return configuration
    }
}

/// A service whose queue nobody works on.
public func withIdleService(
    jobs: ServiceSettings = with(ServiceSettings()) { $0.maxPerHost = 64 },
    _ body: (TestService) async throws -> Void
) async throws {
    let options = TestService.Options.with {
        $0.runsScheduler = false
        $0.jobs = jobs
    }
    try await withService(options) { try await body($0) }
}
