import Core
import HTTPTypes

extension Route {
    /// Every path of the API, as in `openapi.yaml`. The first match applies, so a fixed path must precede one with a
    /// parameter in the same position.
    static let table: [Route] = downloads + sessions + events + administration + webhooks + open

    private static let downloads = [
        Route(
            "/downloads",
            endpoints: [
                Endpoint(.get, "listDownloads", .read) { $0.downloads.list },
                Endpoint(.post, "createDownload", .write, body: .json) { $0.downloads.create },
            ]
        ),
        Route(
            "/downloads/batch",
            endpoints: [Endpoint(.post, "createDownloads", .write, body: .batch) { $0.downloads.createBatch }]
        ),
        Route(
            "/downloads/actions",
            endpoints: [Endpoint(.post, "actOnDownloads", .write, body: .json) { $0.operations.create }]
        ),
        Route(
            "/probes",
            endpoints: [Endpoint(.post, "probe", .write, body: .json, takesKey: false) { $0.downloads.probe }]
        ),
        Route(
            "/operations/{id}",
            reading: OperationID.init(path:),
            endpoints: [Endpoint(.get, "getOperation", .read) { $0.operations.get }]
        ),
        Route(
            "/downloads/{id}",
            reading: DownloadID.init(path:),
            endpoints: [
                Endpoint(.get, "getDownload", .read) { $0.downloads.get },
                Endpoint(.patch, "changeDownload", .write, body: .patch) { $0.downloads.patch },
                Endpoint(.delete, "deleteDownload", .write) { $0.downloads.delete },
            ]
        ),
        Route(
            "/downloads/{id}/file",
            access: .ticket,
            responseType: .any,
            reading: DownloadID.init(path:),
            endpoints: [Endpoint(.get, "getFile", .read) { $0.files.get }]
        ),
        Route(
            "/downloads/{id}/attempts",
            reading: DownloadID.init(path:),
            endpoints: [Endpoint(.get, "listAttempts", .read) { $0.downloads.attempts }]
        ),
        Route(
            "/downloads/{id}/segments",
            reading: DownloadID.init(path:),
            endpoints: [Endpoint(.get, "listSegments", .read) { $0.downloads.segments }]
        ),
        Route(
            "/downloads/{id}/events",
            access: .ticket,
            responseType: .events,
            reading: DownloadID.init(path:),
            endpoints: [Endpoint(.get, "listDownloadEvents", .read) { $0.events.get(of:_:) }]
        ),
    ]

    private static let sessions = [
        Route("/sessions", endpoints: [Endpoint(.get, "listSessions", .read) { $0.sessions.list }]),
        Route(
            "/sessions/{name}",
            reading: { $0.first.flatMap { SessionName($0) } },
            endpoints: [
                Endpoint(.get, "getSession", .read) { $0.sessions.get },
                Endpoint(.put, "putSession", .write, body: .json) { $0.sessions.put },
                Endpoint(.patch, "changeSession", .write, body: .patch) { $0.sessions.patch },
                Endpoint(.delete, "deleteSession", .write) { $0.sessions.delete },
            ]
        ),
    ]

    private static let events = [
        Route(
            "/events",
            access: .ticket,
            responseType: .events,
            endpoints: [Endpoint(.get, "listEvents", .read) { $0.events.get(_:) }]
        ),
        Route(
            "/tickets",
            endpoints: [Endpoint(.post, "createTicket", .read, body: .json, takesKey: false) { $0.tickets.issue }]
        ),
    ]

    /// Hosts, limits and counts, for operators.
    private static let administration = [
        Route("/stats", endpoints: [Endpoint(.get, "getStats", .read) { $0.downloads.stats }]),
        Route("/settings", endpoints: [Endpoint(.get, "listSettings", .configure) { $0.settings.list }]),
        Route("/hosts", endpoints: [Endpoint(.get, "listHosts", .read) { $0.hosts.list }]),
        Route(
            "/hosts/{authority}",
            reading: { $0.first.flatMap { $0.isEmpty ? nil : $0 } },
            endpoints: [
                Endpoint(.get, "getHost", .read) { $0.hosts.get },
                Endpoint(.patch, "changeHost", .configure, body: .patch) { $0.hosts.patch },
            ]
        ),
        Route(
            "/limits",
            endpoints: [
                Endpoint(.get, "getLimits", .read) { $0.limits.get },
                Endpoint(.put, "putLimits", .configure, body: .json) { $0.limits.put },
                Endpoint(.patch, "changeLimits", .configure, body: .patch) { $0.limits.patch },
            ]
        ),
    ]

    private static let webhooks = [
        Route(
            "/webhooks",
            endpoints: [
                Endpoint(.get, "listWebhooks", .read) { $0.webhooks.list },
                Endpoint(.post, "createWebhook", .configure, body: .json) { $0.webhooks.create },
            ]
        ),
        Route(
            "/webhooks/{id}",
            reading: WebhookID.init(path:),
            endpoints: [
                Endpoint(.get, "getWebhook", .read) { $0.webhooks.get },
                Endpoint(.patch, "changeWebhook", .configure, body: .patch) { $0.webhooks.patch },
                Endpoint(.delete, "deleteWebhook", .configure) { $0.webhooks.delete },
            ]
        ),
        Route(
            "/webhooks/{id}/rotate-secret",
            reading: WebhookID.init(path:),
            endpoints: [Endpoint(.post, "rotateWebhookSecret", .configure, body: .json) { $0.webhooks.rotateSecret }]
        ),
        Route(
            "/webhooks/{id}/ping",
            reading: WebhookID.init(path:),
            endpoints: [Endpoint(.post, "pingWebhook", .configure) { $0.webhooks.ping }]
        ),
        Route(
            "/webhooks/{id}/recover",
            reading: WebhookID.init(path:),
            endpoints: [Endpoint(.post, "recoverWebhook", .configure, body: .json) { $0.webhooks.recover }]
        ),
        Route(
            "/webhooks/{id}/deliveries",
            reading: WebhookID.init(path:),
            endpoints: [Endpoint(.get, "listDeliveries", .read) { $0.webhooks.deliveries }]
        ),
        Route(
            "/webhooks/{id}/deliveries/{delivery_id}",
            reading: DeliveryPath.init,
            endpoints: [Endpoint(.get, "getDelivery", .read) { $0.webhooks.delivery }]
        ),
        Route(
            "/webhooks/{id}/deliveries/{delivery_id}/redeliver",
            reading: DeliveryPath.init,
            endpoints: [Endpoint(.post, "redeliver", .configure) { $0.webhooks.redeliver }]
        ),
    ]

    /// The paths of health checks. They are served under any load, and are not logged, because they are requested every
    /// few seconds.
    static let healthChecks = [
        // Health checkers may add query parameters, which are ignored.
        Route(
            "/livez",
            access: .open,
            responseType: .any,
            endpoints: [Endpoint(.get, "getLiveness", .read) { $0.health.livez }]
        ),
        Route(
            "/readyz",
            access: .open,
            responseType: .any,
            endpoints: [Endpoint(.get, "getReadiness", .read) { $0.health.readyz }]
        ),
    ]

    private static let open =
        healthChecks + [
            Route(
                "/",
                access: .open,
                responseType: .any,
                endpoints: [Endpoint(.get, "getPage", .read) { $0.page.index }]
            ),
            Route(
                "/page/{version}/{file}",
                access: .open,
                responseType: .any,
                reading: PagePath.init,
                endpoints: [Endpoint(.get, "getPageFile", .read) { $0.page.file }]
            ),
            Route(
                "/openapi.yaml",
                access: .open,
                responseType: .any,
                endpoints: [Endpoint(.get, "getDescription", .read) { _ in Documents.description }]
            ),
            Route(
                "/openapi.json",
                access: .open,
                responseType: .any,
                endpoints: [Endpoint(.get, "getDescriptionAsJSON", .read) { _ in Documents.descriptionAsJSON }]
            ),
            Route(
                "/problems/{slug}",
                access: .open,
                responseType: .any,
                reading: { $0.first.flatMap { ProblemType(rawValue: $0) } },
                endpoints: [Endpoint(.get, "explainProblem", .read) { _ in Documents.explanation }]
            ),
        ]
}

extension Identifier {
    /// Parses the only parameter of a path.
    fileprivate init?(path parameters: [String]) {
        guard let text = parameters.first else { return nil }
        self.init(text)
    }
}

/// The path parameters of a delivery.
struct DeliveryPath: Sendable {
    let webhook: WebhookID
    let delivery: DeliveryID

    init?(_ parameters: [String]) {
        guard parameters.count == 2, let webhook = WebhookID(parameters[0]), let delivery = DeliveryID(parameters[1])
        else { return nil }
        self.webhook = webhook
        self.delivery = delivery
    }
}
