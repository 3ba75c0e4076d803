public import Core
public import HTTPServer
import HTTPTypes
public import Logging
public import Service

/// The REST API: guards validate the head of a request, then its route handles the request.
public final class API: Sendable {
    /// The configuration of the API.
    public struct Settings: Sendable {
        /// The accepted values of `Host`, without a port; nil accepts any.
        public var hosts: [String]?
        /// The bearer token of clients; nil if every user of this machine may use the API.
        public var token: String?
        /// The origins of web pages that may use the API from a browser; `*` allows any origin.
        public var corsOrigins: [String]
        /// The maximum length of a request body. The body of a batch may be four times as long.
        public var maxBodyBytes: Int
        /// Whether the page for browsers is served.
        public var servesPage: Bool
        /// What `GET /settings` shows.
        public var shown: [ShownSetting]

        public init(
            hosts: [String]? = nil,
            token: String? = nil,
            corsOrigins: [String] = [],
            maxBodyBytes: Int = 1 << 20,
            servesPage: Bool = true,
            shown: [ShownSetting] = []
        ) {
            self.hosts = hosts
            self.token = token
            self.corsOrigins = corsOrigins
            self.maxBodyBytes = maxBodyBytes
            self.servesPage = servesPage
            self.shown = shown
        }
    }

    let access: AccessGuard
    let crossOrigin: CrossOrigin
    let downloads: Downloads
    let files: Files
    let events: EventLog
    let tickets: Tickets
    let sessions: Sessions
    let hosts: Hosts
    let limits: Limits
    let operations: Operations
    let webhooks: Webhooks
    let health: Health
    let page: Page
    let settings: ShownSettings
    let time: TimeSource
    private let logger: Logger
    let maxBodyBytes: Int

    /// The services that handle requests.
    public struct Services: Sendable {
        let downloads: DownloadService
        let webhooks: WebhookService
        /// Opens the event streams.
        let events: EventHub
        /// Reports whether the service accepts work.
        let running: RunningDownloads

        public init(
            downloads: DownloadService,
            webhooks: WebhookService,
            events: EventHub,
            running: RunningDownloads
        ) {
            self.downloads = downloads
            self.webhooks = webhooks
            self.events = events
            self.running = running
        }
    }

    /// - Parameter cursors: Seals the cursors of lists, and tickets.
    public init(_ services: Services, cursors: CursorSealer, settings: Settings, time: TimeSource, logger: Logger) {
        let (service, hub) = (services.downloads, services.events)
        access = AccessGuard(hosts: settings.hosts, token: settings.token, time: time, logger: logger)
        crossOrigin = CrossOrigin(origins: settings.corsOrigins)
        downloads = Downloads(service: service, hub: hub, cursors: cursors, time: time)
        tickets = Tickets(sealer: cursors, grant: access.grant, time: time)
        files = Files(service: service)
        events = EventLog(service: service, hub: hub)
        sessions = Sessions(service: service, cursors: cursors)
        hosts = Hosts(service: service, cursors: cursors)
        limits = Limits(service: service)
        operations = Operations(downloads: downloads)
        webhooks = Webhooks(service: services.webhooks, cursors: cursors)
        health = Health(running: services.running)
        page = Page(isOn: settings.servesPage)
        self.settings = ShownSettings(items: settings.shown)
        maxBodyBytes = settings.maxBodyBytes
        self.time = time
        self.logger = logger
    }

    /// The paths of health checks. The server answers them under any load.
    public static let vitalPaths: Set<String> = Set(Route.healthChecks.map(\.template))

    /// Responds to an admitted request.
    func respond(
        _ request: ServerRequest,
        _ match: RouteMatch?,
        _ caller: String,
        _ requestID: String
    ) async -> ServerResponse {
        var response: ServerResponse
        do {
            response = try await respond(RequestContext(request: request, requestID: requestID, caller: caller), match)
        } catch {
            return respond(Problem(mapping: error), request.head, match?.route, requestID)
        }
        finish(&response, request.head, requestID)
        log(request.head, match?.route, response, requestID)
        return response
    }

    /// Responds to a refused request.
    func respond(
        _ problem: Problem,
        _ head: ServerRequest.Head,
        _ route: Route?,
        _ requestID: String
    ) -> ServerResponse {
        if let cause = problem.cause { report(cause, of: problem, requestID) }
        var response = problem.response(requestID: requestID)
        finish(&response, head, requestID)
        log(head, route, response, requestID)
        return response
    }

    /// Responds with a problem document to a request that the HTTP server refused.
    @Sendable public func refuse(_ refusal: Refusal, _ head: ServerRequest.Head?) -> ServerResponse {
        let requestID = RequestID.next(at: time.now).text
        var problem = Problem(refusal)
        problem.body.status = refusal.status.code
        var response = problem.response(requestID: requestID)
        finish(&response, head, requestID)
        return response
    }

    private func respond(_ context: RequestContext, _ match: RouteMatch?) async throws -> ServerResponse {
        let method = context.request.method
        if method == .options { return try options(context.request, match?.route) }
        guard let match else { throw Problem(.notFound, "No resource has this path.") }
        guard let action = match.action(method) else {
            throw Problem(.methodNotAllowed).with(.allow, match.route.allow)
        }
        return try await action(self, context)
    }

    /// Responds to `OPTIONS`, including a browser's preflight request.
    private func options(_ request: ServerRequest, _ route: Route?) throws(Problem) -> ServerResponse {
        guard let allow = route?.allow ?? (request.path == "*" ? Self.everyMethod : nil) else {
            throw Problem(.notFound, "No resource has this path.")
        }
        var fields: HTTPFields = [.allow: allow]
        if request.headerFields[.accessControlRequestMethod] != nil {
            crossOrigin.addFields(to: &fields, for: request.headerFields, isPreflight: true, methods: allow)
        }
        return ServerResponse(status: .noContent, headerFields: fields)
    }

    fileprivate static let everyMethod = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

    // MARK: - Every response

    /// No route sets these fields, so they are appended without a search.
    private static let everyResponse = [
        HTTPField(name: .xContentTypeOptions, value: "nosniff"),
        HTTPField(name: .referrerPolicy, value: "no-referrer"),
        // A browser ignores a value that is there twice (Fetch standard, "cross-origin resource policy check").
        HTTPField(name: .crossOriginResourcePolicy, value: "same-origin"),
    ]

    /// The fields of each response whose route does not set them.
    private static let usualResponse = [
        HTTPField(name: .contentSecurityPolicy, value: "default-src 'none'; frame-ancestors 'none'"),
        HTTPField(name: .cacheControl, value: "no-store"),
    ]

    private func finish(_ response: inout ServerResponse, _ head: ServerRequest.Head?, _ requestID: String) {
        response.headerFields.append(HTTPField(name: .requestID, value: requestID))
        for field in Self.everyResponse { response.headerFields.append(field) }
        for field in Self.usualResponse where !response.headerFields.contains(field.name) {
            response.headerFields.append(field)
        }
        response.compress(for: head?.headerFields)
        if let head, !crossOrigin.isOff, !response.headerFields.contains(.accessControlAllowOrigin) {
            crossOrigin.addFields(to: &response.headerFields, for: head.headerFields, isPreflight: false, methods: "")
        }
    }

    /// Logs the cause of a problem with the request's id. The response does not contain the cause.
    private func report(_ cause: String, of problem: Problem, _ requestID: String) {
        logger.error(
            "request failed",
            metadata: [
                "request.id": "\(requestID)", "problem.type": "\(problem.body.type.slug)", "error": "\(cause)",
            ]
        )
    }

    /// Logs one line for each request except probes. The route is logged as its template, without ids or names.
    private func log(_ head: ServerRequest.Head, _ route: Route?, _ response: ServerResponse, _ requestID: String) {
        if let route, Self.vitalPaths.contains(route.template) { return }
        logger.debug(
            "request",
            metadata: [
                "request.id": "\(requestID)",
                "http.request.method": "\(head.method.rawValue)",
                "http.route": "\(route?.template ?? "")",
                "http.response.status_code": .stringConvertible(response.status.code),
                "client.address": "\(head.remoteAddress)",
            ]
        )
    }
}

extension Problem {
    /// The problem for a request that the HTTP server refused.
    fileprivate init(_ refusal: Refusal) {
        switch refusal.code {
        case .badFraming, .badTarget, .badHost, .badField, .badMethod, .targetTooLong:
            self.init(.invalidRequest, refusal.detail)
        case .methodNotAllowed, .notImplemented:
            self = Self(.methodNotAllowed, refusal.detail).with(.allow, API.everyMethod)
        case .contentTooLarge:
            self.init(.tooLarge, refusal.detail, extras: refusal.maxBodyBytes.map { [.limitBytes(Int64($0))] } ?? [])
        case .overloaded:
            self = Self(.overloaded, refusal.detail).retryAfter(1)
        case .shuttingDown:
            self = Self(.draining, refusal.detail).retryAfter(5)
        }
    }
}
