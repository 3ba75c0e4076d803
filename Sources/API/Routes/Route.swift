import HTTPServer
import HTTPTypes

/// A path of the API with its operations: one entry of ``Route/table``.
///
/// Everything that depends on the route reads it here: the validation of a request's head, the response to `OPTIONS`,
/// `Allow`, the log, and the test that compares the table with `openapi.yaml`.
struct Route: Sendable {
    /// The path as in `openapi.yaml`. Logs use it, since paths with ids could not be grouped.
    let template: String
    let access: Access
    let responseType: ResponseType
    let operations: [Operation]
    /// The parts of the path; nil for a parameter.
    let parts: [String?]
    /// Binds the values of the path's parameters to the operations; nil if a value is invalid.
    fileprivate let bind: @Sendable ([String]) -> Binding?

    /// Handles a request whose path was parsed.
    typealias Action = (API, RequestContext) async throws -> ServerResponse

    /// Returns the action of an operation, by its index.
    fileprivate typealias Binding = @Sendable (_ operation: Int) -> Action

    /// The authorization that a route requires.
    enum Access: Sendable {
        /// None: health checks and documentation are open.
        case open
        /// A token.
        case token
        /// A token, or a ticket in the query, because a browser may not be able to send header fields.
        case ticket
    }

    /// The media types of the responses.
    enum ResponseType: Sendable {
        case json
        /// JSON or an event stream.
        case events
        /// The type of the file or document; `Accept` is not checked.
        case any
    }

    /// A method of the path. `HEAD` is handled like `GET` (RFC 9110, section 9.3.2).
    struct Operation: Sendable {
        let method: HTTPRequest.Method
        /// The `operationId` in `openapi.yaml`.
        let id: String
        /// The permission that the operation requires. The single token has all permissions.
        let scope: Scope
        let body: Body
        /// Whether a POST accepts an `Idempotency-Key`. Otherwise it refuses the field.
        let takesKey: Bool
    }

    enum Scope: Sendable {
        case read, write
        /// Changes configuration that affects all downloads: limits, hosts, webhooks.
        case configure
    }

    /// The body that an operation reads.
    enum Body: Sendable {
        case none, json, patch
        /// A batch of JSON bodies.
        case batch
    }

    /// - Parameter reading: Parses the path's parameters, in order, into the operations' value; nil if one is invalid.
    init<Value: Sendable>(
        _ template: String,
        access: Access = .token,
        responseType: ResponseType = .json,
        reading read: @escaping @Sendable ([String]) -> Value?,
        endpoints: [Endpoint<Value>]
    ) {
        self.template = template
        self.access = access
        self.responseType = responseType
        operations = endpoints.map(\.operation)
        parts = template.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .map { $0.hasPrefix("{") ? nil : String($0) }
        bind = { texts in
            guard let value = read(texts) else { return nil }
            return { index in
                let handler = endpoints[index].handler
                return { (api, context) async throws in try await handler(api)(value, context) }
            }
        }
    }
}

/// An operation with its handler.
struct Endpoint<Value: Sendable>: Sendable {
    typealias Handler = @Sendable (API) -> (Value, RequestContext) async throws -> ServerResponse

    let operation: Route.Operation
    let handler: Handler

    init(
        _ method: HTTPRequest.Method,
        _ id: String,
        _ scope: Route.Scope,
        body: Route.Body = .none,
        takesKey: Bool = true,
        _ handler: @escaping Handler
    ) {
        operation = Route.Operation(method: method, id: id, scope: scope, body: body, takesKey: takesKey)
        self.handler = handler
    }

    /// For a path without parameters.
    init(
        _ method: HTTPRequest.Method,
        _ id: String,
        _ scope: Route.Scope,
        body: Route.Body = .none,
        takesKey: Bool = true,
        _ handler: @escaping @Sendable (API) -> (RequestContext) async throws -> ServerResponse
    ) where Value == NoParameters {
        self.init(method, id, scope, body: body, takesKey: takesKey) { api in
            { (_, context) async throws in try await handler(api)(context) }
        }
    }
}

/// The value of a path without parameters.
struct NoParameters: Sendable {}

extension Route {
    /// A path without parameters.
    init(
        _ template: String,
        access: Access = .token,
        responseType: ResponseType = .json,
        endpoints: [Endpoint<NoParameters>]
    ) {
        self.init(
            template,
            access: access,
            responseType: responseType,
            reading: { _ in NoParameters() },
            endpoints: endpoints
        )
    }

    var isOpen: Bool { access == .open }

    /// The operation of a method; nil if the route has none, and for `OPTIONS`, which every path supports.
    func operation(_ method: HTTPRequest.Method) -> Operation? { index(of: method).map { operations[$0] } }

    fileprivate func index(of method: HTTPRequest.Method) -> Int? {
        operations.firstIndex { $0.method == (method == .head ? .get : method) }
    }

    var methods: [HTTPRequest.Method] {
        operations.flatMap { $0.method == .get ? [.get, .head] : [$0.method] } + [.options]
    }

    /// The value of the `Allow` field.
    var allow: String { methods.map(\.rawValue).joined(separator: ", ") }
}

/// A route that matches a path.
struct RouteMatch: Sendable {
    let route: Route
    /// The values of the path's parameters.
    let parameters: [String]
    private let binding: Route.Binding

    /// Returns nil if no route has this path.
    init?(path: String) {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        guard let first = parts.first, let routes = Self.byFirstPart[String(first) ?? ""] else { return nil }
        for route in routes {
            guard let parameters = route.parameters(of: parts), let binding = route.bind(parameters) else { continue }
            self.route = route
            self.parameters = parameters
            self.binding = binding
            return
        }
        return nil
    }

    /// The action for a method; nil if the route does not support it.
    func action(_ method: HTTPRequest.Method) -> Route.Action? { route.index(of: method).map { binding($0) } }

    private static let byFirstPart = Dictionary(grouping: Route.table) { $0.parts.first.flatMap(\.self) ?? "" }
}

extension Route {
    /// The values of the path's parameters, in order; nil if the path is not one of this route.
    fileprivate func parameters(of path: ArraySlice<Substring.UTF8View>) -> [String]? {
        guard path.count == parts.count else { return nil }
        var parameters: [String] = []
        for (part, given) in zip(parts, path) {
            if let part {
                guard given.elementsEqual(part.utf8) else { return nil }
            } else {
                parameters.append(Self.decoded(Substring(given)))
            }
        }
        return parameters
    }

    /// Only these characters of session names and authorities may be percent-encoded.
    private static func decoded(_ part: Substring) -> String {
        guard part.utf8.contains(UInt8(ascii: "%")) else { return String(part) }
        let characters = [("%3A", ":"), ("%3a", ":"), ("%5B", "["), ("%5b", "["), ("%5D", "]"), ("%5d", "]")]
        return characters.reduce(String(part)) { text, character in
            text.split(separator: character.0, omittingEmptySubsequences: false).joined(separator: character.1)
        }
    }
}
