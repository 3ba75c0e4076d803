import Core
public import HTTPServer
import HTTPTypes

extension API {
    /// Validates the head of a request. A refused request is answered before any byte of its body is stored.
    @Sendable public func admit(_ head: ServerRequest.Head) -> AdmissionDecision {
        let requestID = RequestContext.requestID(of: head, now: time.now)
        let match = RouteMatch(path: head.path)
        do throws(Problem) {
            let caller = try check(head, match?.route)
            return .admitted(maxBodyBytes: bodyLimit(of: head, match?.route)) { request in
                await self.respond(request, match, caller, requestID)
            }
        } catch {
            return .refused(respond(error, head, match?.route, requestID))
        }
    }

    /// - Returns: The name of the caller.
    private func check(_ head: ServerRequest.Head, _ route: Route?) throws(Problem) -> String {
        let isOpen = route?.isOpen ?? false
        if !isOpen { try access.checkHost(head) }
        // A browser sends preflight requests without a token.
        if head.method == .options { return "" }
        let caller = isOpen ? "" : try authenticate(head, route)
        guard let route else { throw Problem(.notFound, "No resource has this path.") }
        guard let operation = route.operation(head.method) else {
            throw Problem(.methodNotAllowed).with(.allow, route.allow)
        }
        try checkAccept(head, route)
        try crossOrigin.checkPost(of: head)
        try operation.checkBodyType(head, needsJSON: !access.needsToken)
        try operation.checkKey(head)
        return caller
    }

    private func authenticate(_ head: ServerRequest.Head, _ route: Route?) throws(Problem) -> String {
        guard access.needsToken else {
            let caller = try access.authenticate(head)
            try crossOrigin.checkSite(of: head)
            return caller
        }
        // `Authorization` takes precedence over a ticket.
        guard head.headerFields[.authorization] == nil, let route else { return try access.authenticate(head) }
        switch tickets.validate(head, for: route) {
        case .none: return try access.authenticate(head)
        case .good: return access.caller
        case .expired: throw Tickets.refusal
        case .wrong: throw access.wrongToken(from: head, Tickets.refusal)
        }
    }

    /// Open routes accept no body, so that a client without a token cannot fill the memory.
    private func bodyLimit(of head: ServerRequest.Head, _ route: Route?) -> Int {
        guard let route, !route.isOpen, head.method != .options else { return 0 }
        return route.operation(head.method)?.body == .batch ? 4 * maxBodyBytes : maxBodyBytes
    }

    /// Refuses a request whose `Accept` allows none of the route's media types. A deletion has no body but that of a
    /// problem, so generated clients accept only that.
    private func checkAccept(_ head: ServerRequest.Head, _ route: Route) throws(Problem) {
        if route.responseType == .any { return }
        let accept = Accept(head.headerFields[.accept])
        if route.responseType == .events && accept.allows(EventLog.stream) { return }
        if head.method == .delete && accept.allows("application/problem+json") { return }
        guard accept.allows("application/json") else {
            throw Problem(.notAcceptable, "The only media type here is application/json.")
        }
    }
}
