import Core
import HTTPTypes

/// The paths of the API. `openapi.yaml` has the same ones, which a test compares.
enum Route: Hashable {
    case downloads
    case downloadBatch
    case download(DownloadID)
    case file(DownloadID)
    case attempts(DownloadID)
    case downloadEvents(DownloadID)
    case events
    case tickets
    case sessions
    case session(SessionName)
    case hosts
    /// `host:port`.
    case host(String)
    case limits
    case webhooks
    case webhook(WebhookID)
    case webhookAction(WebhookID, WebhookAction)
    case deliveries(WebhookID)
    case delivery(DeliveryID, of: WebhookID)
    case redelivery(DeliveryID, of: WebhookID)
    case livez
    case readyz
    case openAPI
    case problem(ProblemType)

    /// What may be asked of a webhook.
    enum WebhookAction: String, Hashable {
        case ping, recover
        case rotateSecret = "rotate-secret"
    }

    /// The route that a path leads to, or nil where there is none.
    init?(path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        switch (parts.first, parts.count) {
        case ("downloads", 1): self = .downloads
        case ("downloads", 2) where parts[2] == "batch": self = .downloadBatch
        case ("downloads", 2):
            guard let id = DownloadID(String(parts[2])) else { return nil }
            self = .download(id)
        case ("downloads", 3) where parts[3] == "file":
            guard let id = DownloadID(String(parts[2])) else { return nil }
            self = .file(id)
        case ("downloads", 3) where parts[3] == "attempts":
            guard let id = DownloadID(String(parts[2])) else { return nil }
            self = .attempts(id)
        case ("downloads", 3) where parts[3] == "events":
            guard let id = DownloadID(String(parts[2])) else { return nil }
            self = .downloadEvents(id)
        case ("events", 1): self = .events
        case ("tickets", 1): self = .tickets
        case ("sessions", 1): self = .sessions
        case ("sessions", 2):
            guard let name = SessionName(Self.decoded(parts[2])) else { return nil }
            self = .session(name)
        case ("hosts", 1): self = .hosts
        case ("hosts", 2):
            let authority = Self.decoded(parts[2])
            guard !authority.isEmpty else { return nil }
            self = .host(authority)
        case ("limits", 1): self = .limits
        case ("webhooks", _):
            guard let route = Self.webhook(parts.dropFirst().map(String.init)) else { return nil }
            self = route
        case ("livez", 1): self = .livez
        case ("readyz", 1): self = .readyz
        case ("openapi.yaml", 1): self = .openAPI
        case ("problems", 2):
            guard let type = ProblemType(rawValue: String(parts[2])) else { return nil }
            self = .problem(type)
        default: return nil
        }
    }

    /// - Parameter parts: What follows `/webhooks`.
    private static func webhook(_ parts: [String]) -> Route? {
        guard let first = parts.first else { return .webhooks }
        guard let id = WebhookID(first) else { return nil }
        switch (parts.dropFirst().first, parts.count) {
        case (_, 1): return .webhook(id)
        case ("deliveries", 2): return .deliveries(id)
        case (let word?, 2): return WebhookAction(rawValue: word).map { .webhookAction(id, $0) }
        case ("deliveries", 3): return DeliveryID(parts[2]).map { .delivery($0, of: id) }
        case ("deliveries", 4) where parts[3] == "redeliver":
            return DeliveryID(parts[2]).map { .redelivery($0, of: id) }
        default: return nil
        }
    }

    /// Of the characters of a session's name and of an authority only these are ever written encoded.
    private static func decoded(_ part: Substring) -> String {
        guard part.contains("%") else { return String(part) }
        let characters = [("%3A", ":"), ("%3a", ":"), ("%5B", "["), ("%5b", "["), ("%5D", "]"), ("%5d", "]")]
        return characters.reduce(String(part)) { text, character in
            text.split(separator: character.0, omittingEmptySubsequences: false).joined(separator: character.1)
        }
    }

    var methods: [HTTPRequest.Method] {
        switch self {
        case .downloads, .webhooks: [.get, .head, .post, .options]
        case .downloadBatch, .webhookAction, .redelivery: [.post, .options]
        case .download, .webhook: [.get, .head, .patch, .delete, .options]
        case .session: [.get, .head, .put, .patch, .delete, .options]
        case .limits: [.get, .head, .put, .patch, .options]
        case .host: [.get, .head, .patch, .options]
        case .tickets: [.post, .options]
        case .file, .attempts, .downloadEvents, .events, .sessions, .hosts, .deliveries, .delivery, .livez, .readyz,
            .openAPI, .problem:
            [.get, .head, .options]
        }
    }

    /// Whether it is there for whoever watches over the service or reads about it, without a token.
    var isOpen: Bool {
        switch self {
        case .livez, .readyz, .openAPI, .problem: true
        case .downloads, .downloadBatch, .download, .file, .attempts, .downloadEvents, .events, .tickets, .sessions,
            .session, .hosts, .host, .limits, .webhooks, .webhook, .webhookAction, .deliveries, .delivery, .redelivery:
            false
        }
    }

    /// Whether a ticket may stand for the token: what a browser reads without fields of the page's own.
    var acceptsTicket: Bool {
        switch self {
        case .file, .events, .downloadEvents: true
        case .downloads, .downloadBatch, .download, .attempts, .tickets, .sessions, .session, .hosts, .host, .limits,
            .webhooks, .webhook, .webhookAction, .deliveries, .delivery, .redelivery, .livez, .readyz, .openAPI,
            .problem:
            false
        }
    }

    /// The path as `openapi.yaml` writes it: for logs, where a path with ids would not add up.
    var template: String {
        switch self {
        case .downloads: "/downloads"
        case .downloadBatch: "/downloads/batch"
        case .download: "/downloads/{id}"
        case .file: "/downloads/{id}/file"
        case .attempts: "/downloads/{id}/attempts"
        case .downloadEvents: "/downloads/{id}/events"
        case .events: "/events"
        case .tickets: "/tickets"
        case .sessions: "/sessions"
        case .session: "/sessions/{name}"
        case .hosts: "/hosts"
        case .host: "/hosts/{authority}"
        case .limits: "/limits"
        case .webhooks: "/webhooks"
        case .webhook: "/webhooks/{id}"
        case .webhookAction(_, let action): "/webhooks/{id}/\(action.rawValue)"
        case .deliveries: "/webhooks/{id}/deliveries"
        case .delivery: "/webhooks/{id}/deliveries/{delivery_id}"
        case .redelivery: "/webhooks/{id}/deliveries/{delivery_id}/redeliver"
        case .livez: "/livez"
        case .readyz: "/readyz"
        case .openAPI: "/openapi.yaml"
        case .problem: "/problems/{slug}"
        }
    }
}
