import API
import Core
import HTTPServer
public import Logging
import Service
import Store
import Synchronization
import TestSupport
import Transfer

/// What the parts of a ``TestService`` share, and the parts that are made of it.
struct TestServiceParts {
    let options: TestService.Options
    let store: Store
    let engine: Engine
    let live: RunningDownloads
    let rates: RateControl
    let vault: CredentialVault
    let time: ManualTime
    let logs: LogBook

    private func service() -> DownloadService {
        DownloadService(
            store: store,
            engine: engine,
            live: live,
            rates: rates,
            vault: vault,
            settings: options.jobs,
            time: time.source
        )
    }

    func hub() -> EventHub {
        EventHub(
            service: service(),
            live: live,
            settings: options.streams,
            time: time.source,
            logger: logs.logger
        )
    }

    func server(_ hub: EventHub) throws -> HTTPServer {
        let api = API(
            service: service(),
            webhooks: WebhookService(
                store: store,
                vault: vault,
                secret: secret(),
                destinations: options.jobs.webhooks,
                userAgent: "Cormorant/test",
                retention: options.jobs.purgeAges.events,
                time: time.source
            ),
            events: hub,
            live: live,
            cursors: CursorSealer(
                seal: { [vault] in vault.seal(bytes: $0) },
                open: { [vault] in vault.open(bytes: $0) }
            ),
            settings: API.Settings(
                hosts: options.hosts,
                token: options.token,
                corsOrigins: options.corsOrigins,
                maxBodyBytes: options.maxBodyBytes
            ),
            time: time.source,
            logger: logs.logger
        )
        var configuration = HTTPServer.Configuration()
        configuration.port = 0
        configuration.threads = 1
        configuration.idleTimeout = options.idleTimeout
        configuration.vitalPaths = API.vitalPaths
        return try HTTPServer(configuration: configuration, refuse: api.refuse, admit: api.admit)
    }

    func scheduler() -> Scheduler {
        Scheduler(
            store: store,
            engine: engine,
            live: live,
            vault: vault,
            settings: options.jobs,
            links: URLRefreshCoding(encode: JSONEncoding.encode, decode: JSONDecoding.link, sign: secret().fields),
            time: time.source,
            owner: RequestID(at: time.now).text,
            logger: logs.logger
        )
    }

    func dispatcher() -> Dispatcher {
        Dispatcher(
            store: store,
            secret: secret(),
            vault: vault,
            destinations: options.jobs.webhooks,
            userAgent: "Cormorant/test",
            timeout: options.webhookTimeout,
            time: time.source,
            logger: logs.logger
        )
    }

    private func secret() -> WebhookSecret {
        guard let secret = WebhookSecret(TestService.secretText) else {
            preconditionFailure("the tests' secret is one")
        }
        return secret
    }
}

/// Lets so many in at once, in the order in which they came.
///
/// All tests run at the same time, and each whole service among them has limits of time for strangers: were a hundred
/// of them to share two cores, they would meet those of the others.
actor Turnstile {
    static let services = Turnstile(places: 6)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(places: Int) {
        free = places
    }

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}

/// Keeps every line that is logged, with its metadata.
public final class LogBook: Sendable {
    private let kept = Mutex<[String]>([])

    public init() {}

    public var lines: [String] { kept.withLock { $0 } }

    public var logger: Logger {
        var logger = Logger(label: "tests") { _ in Handler(book: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let book: LogBook
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        init(book: LogBook) {
            self.book = book
        }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = "\(event.level) \(event.message) \(metadata) \(event.metadata ?? [:])"
            book.kept.withLock { $0.append(line) }
        }
    }
}
