import API
import Core
import HTTPServer
import Service
import Store
import TestSupport
import Transfer

/// What the parts of a ``TestService`` share, and the parts that are made of it.
struct TestServiceParts {
    let options: TestService.Options
    let store: Store
    let engine: Engine
    let live: LiveDownloads
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
            links: LinkForm(encode: WireEncoder.encode, decode: WireDecoder.link, sign: secret().fields),
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
