public import Core
public import HTTPServer
import HTTPTypes
public import Logging
public import Service

/// The REST interface: takes a request, lets the guards judge it, and hands it to its route.
public struct API: Sendable {
    /// What the interface needs to know of the operator's wishes.
    public struct Settings: Sendable {
        /// The names that `Host` may have; nil for any.
        public var hosts: [String]?
        /// nil where everyone on this machine may ask.
        public var token: String?
        /// Web pages that may use the API from a browser; `*` for any.
        public var corsOrigins: [String]
        /// A longer body is refused; that of a batch may be four times as long.
        public var maxBodyBytes: Int

        public init(
            hosts: [String]? = nil,
            token: String? = nil,
            corsOrigins: [String] = [],
            maxBodyBytes: Int = 1 << 20
        ) {
            self.hosts = hosts
            self.token = token
            self.corsOrigins = corsOrigins
            self.maxBodyBytes = maxBodyBytes
        }
    }

    let access: AccessGuard
    let crossOrigin: CrossOrigin
    private let downloads: Downloads
    private let files: Files
    private let events: EventLog
    let tickets: Tickets
    private let sessions: Sessions
    private let hosts: Hosts
    private let limits: Limits
    private let webhooks: WebhookRoutes
    private let health: Health
    let time: TimeSource
    private let logger: Logger
    let maxBodyBytes: Int

    /// - Parameters:
    ///   - hub: Where streams of events are opened.
    ///   - live: Says whether the service takes work.
    ///   - cursors: Makes the cursors of lists opaque, and tickets.
    public init(
        service: DownloadService,
        webhooks webhookService: WebhookService,
        events hub: EventHub,
        live: RunningDownloads,
        cursors: CursorSealer,
        settings: Settings,
        time: TimeSource,
        logger: Logger
    ) {
        access = AccessGuard(hosts: settings.hosts, token: settings.token, time: time)
        crossOrigin = CrossOrigin(origins: settings.corsOrigins)
        downloads = Downloads(service: service, hub: hub, cursors: cursors, time: time)
        tickets = Tickets(sealer: cursors, grant: access.grant, time: time)
        files = Files(service: service)
        events = EventLog(service: service, hub: hub)
        sessions = Sessions(service: service, cursors: cursors)
        hosts = Hosts(service: service, cursors: cursors)
        limits = Limits(service: service)
        webhooks = WebhookRoutes(service: webhookService, cursors: cursors)
        health = Health(live: live)
        maxBodyBytes = settings.maxBodyBytes
        self.time = time
        self.logger = logger
    }

    /// The paths that say whether the service is alive: they are answered however many ask for anything else.
    public static let vitalPaths: Set<String> = [Route.livez.template, Route.readyz.template]

    /// Answers a request that was admitted.
    func answer(
        _ request: ServerRequest,
        _ route: Route?,
        _ caller: String,
        _ requestID: String
    ) async -> ServerResponse {
        var response: ServerResponse
        do throws(Problem) {
            response = try await answer(RequestContext(request: request, requestID: requestID, caller: caller), route)
        } catch {
            return answer(error, request.head, route, requestID)
        }
        finish(&response, request.head, route, requestID)
        log(request.head, route, response, requestID)
        return response
    }

    /// Answers a request that is refused.
    func answer(
        _ problem: Problem,
        _ head: ServerRequest.Head,
        _ route: Route?,
        _ requestID: String
    ) -> ServerResponse {
        if let cause = problem.cause { report(cause, of: problem, requestID) }
        var response = problem.response(requestID: requestID)
        finish(&response, head, route, requestID)
        log(head, route, response, requestID)
        return response
    }

    /// Shows a refusal of the server's own as the problem that it is.
    @Sendable public func refuse(_ refusal: Refusal, _ head: ServerRequest.Head?) -> ServerResponse {
        let requestID = RequestID(at: time.now).text
        var problem = Problem(refusal)
        problem.body.status = refusal.status.code
        var response = problem.response(requestID: requestID)
        finish(&response, head, head.flatMap { Route(path: $0.path) }, requestID)
        return response
    }

    private func answer(_ context: RequestContext, _ route: Route?) async throws(Problem) -> ServerResponse {
        if context.request.method == .options { return try options(context.request, route) }
        guard let route else { throw Problem(.notFound, "No resource has this path.") }
        return try await dispatch(route, context)
    }

    private func dispatch(_ route: Route, _ context: RequestContext) async throws(Problem) -> ServerResponse {
        let method = context.request.method
        switch route {
        case .downloads:
            return method == .post ? try await downloads.create(context) : try await downloads.list(context)
        case .downloadBatch: return try await downloads.createBatch(context)
        case .download(let id):
            switch method {
            case .patch: return try await downloads.patch(id, context)
            case .delete: return try await downloads.delete(id, context)
            default: return try await downloads.get(id, context)
            }
        case .file(let id): return try await files.get(id, context)
        case .attempts(let id): return try await downloads.attempts(id, context)
        case .downloadEvents(let id): return try await events.get(of: id, context)
        case .events: return try await events.get(context)
        case .tickets: return try tickets.issue(context)
        case .sessions: return try await sessions.list(context)
        case .session(let name):
            switch method {
            case .put: return try await sessions.put(name, context)
            case .patch: return try await sessions.patch(name, context)
            case .delete: return try await sessions.delete(name, context)
            default: return try await sessions.get(name, context)
            }
        case .hosts: return try await hosts.list(context)
        case .host(let authority):
            return method == .patch
                ? try await hosts.patch(authority, context) : try await hosts.get(authority, context)
        case .limits:
            switch method {
            case .patch: return try await limits.patch(context)
            case .put: return try await limits.put(context)
            default: return try limits.get(context)
            }
        case .webhooks:
            return method == .post ? try await webhooks.create(context) : try await webhooks.list(context)
        case .webhook(let id):
            switch method {
            case .patch: return try await webhooks.patch(id, context)
            case .delete: return try await webhooks.delete(id, context)
            default: return try await webhooks.get(id, context)
            }
        case .webhookAction(let id, let action): return try await webhooks.act(action, on: id, context)
        case .deliveries(let id): return try await webhooks.deliveries(of: id, context)
        case .delivery(let delivery, let id): return try await webhooks.delivery(delivery, of: id, context)
        case .redelivery(let delivery, let id): return try await webhooks.redeliver(delivery, of: id, context)
        // Probes add parameters of their own, and a service is not restarted for them.
        case .livez: return health.livez()
        case .readyz: return health.readyz()
        case .openAPI:
            _ = try Query(context.request.query)
            return Documents.openAPI
        case .problem(let type):
            _ = try Query(context.request.query)
            return .text(type.page)
        }
    }

    /// What may be asked of a path, also as a browser asks it before a page's own request.
    private func options(_ request: ServerRequest, _ route: Route?) throws(Problem) -> ServerResponse {
        let allow: String
        if let route {
            allow = route.allow
        } else if request.path == "*" {
            allow = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
        } else {
            throw Problem(.notFound, "No resource has this path.")
        }
        var fields: HTTPFields = [.allow: allow]
        if request.headerFields[.accessControlRequestMethod] != nil {
            crossOrigin.addFields(to: &fields, for: request.headerFields, isPreflight: true, methods: allow)
        }
        return ServerResponse(status: .noContent, headerFields: fields)
    }

    // MARK: - Every answer

    private func finish(
        _ response: inout ServerResponse,
        _ head: ServerRequest.Head?,
        _ route: Route?,
        _ requestID: String
    ) {
        response.headerFields[.requestID] = requestID
        response.headerFields[.xContentTypeOptions] = "nosniff"
        response.headerFields[.referrerPolicy] = "no-referrer"
        response.headerFields[.crossOriginResourcePolicy] = "same-origin"
        if response.headerFields[.contentSecurityPolicy] == nil {
            response.headerFields[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        }
        if response.headerFields[.cacheControl] == nil { response.headerFields[.cacheControl] = "no-store" }
        if let head, !crossOrigin.isOff, response.headerFields[.accessControlAllowOrigin] == nil {
            crossOrigin.addFields(to: &response.headerFields, for: head.headerFields, isPreflight: false, methods: "")
        }
    }

    /// What a client is not told, for whoever looks up its request id.
    private func report(_ cause: String, of problem: Problem, _ requestID: String) {
        logger.error(
            "request failed",
            metadata: [
                "request.id": "\(requestID)", "problem.type": "\(problem.body.type.slug)", "error": "\(cause)",
            ]
        )
    }

    /// One line a request, without ids or names in the route, and none for probes.
    private func log(_ head: ServerRequest.Head, _ route: Route?, _ response: ServerResponse, _ requestID: String) {
        guard route != .livez, route != .readyz else { return }
        logger.debug(
            "request",
            metadata: [
                "request.id": "\(requestID)",
                "http.request.method": "\(head.method.rawValue)",
                "http.route": "\(route?.template ?? "")",
                "http.response.status_code": "\(response.status.code)",
                "client.address": "\(head.remoteAddress)",
            ]
        )
    }
}

extension Problem {
    /// What the server turned away before any route saw it.
    fileprivate init(_ refusal: Refusal) {
        switch refusal.code {
        case .badFraming, .badTarget, .badHost, .badField, .badMethod, .targetTooLong:
            self.init(.invalidRequest, refusal.detail)
        case .methodNotAllowed, .notImplemented:
            self = Self(.methodNotAllowed, refusal.detail).with(.allow, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
        case .contentTooLarge:
            self.init(.tooLarge, refusal.detail, extras: refusal.maxBodyBytes.map { [.limitBytes(Int64($0))] } ?? [])
        case .overloaded:
            self = Self(.overloaded, refusal.detail).retryAfter(1)
        case .shuttingDown:
            self = Self(.draining, refusal.detail).retryAfter(5)
        }
    }
}
