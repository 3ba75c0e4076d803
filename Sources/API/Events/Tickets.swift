import Core
import HTTPServer
import HTTPTypes

/// `/tickets`: issues tickets. A ticket replaces the token where a browser cannot send one: for a stream
/// (`EventSource`) or a link to a file.
struct Tickets: Sendable {
    let sealer: CursorSealer
    /// The fingerprint of the token that tickets replace.
    let grant: [UInt8]
    let time: TimeSource

    // MARK: - POST /tickets

    func issue(_ context: RequestContext) throws -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        let body = try NewTicketBody(parsing: bytes)
        guard RouteMatch(path: body.path)?.route.access == .ticket else {
            let detail = "Expected the path of events or of a file, without a query."
            throw Problem(
                .invalidRequest,
                "The request has invalid members.",
                errors: [ProblemError(.pointer(JSONPointer(text: "/path")), code: .malformed, detail: detail)]
            )
        }
        let ticket = Ticket(path: body.path, expiresAt: time.now + .seconds(body.seconds), grant: grant)
        return .json(.created, TicketBody(ticket, sealer).encoded())
    }

    // MARK: - Validation

    /// The result of validating a request's ticket.
    enum Validity {
        case none
        case good
        /// The ticket was issued, but for another path, or it has expired.
        case expired
        /// The service did not issue this ticket.
        case wrong
    }

    static var refusal: Problem {
        Problem(.unauthenticated, "The ticket is for another path, or has expired. Get a new one from POST /tickets.")
            .with(.wwwAuthenticate, AccessGuard.challenge)
    }

    func validate(_ head: ServerRequest.Head, for route: Route) -> Validity {
        guard route.access == .ticket, head.method == .get || head.method == .head else { return .none }
        guard let text = Query.value(of: "ticket", in: head.query) else { return .none }
        guard let ticket = Ticket(text, sealer) else { return .wrong }
        let isGood =
            ticket.path == head.path && ticket.grant == grant
            && ticket.expiresAt.isAhead(of: time.now, within: .seconds(NewTicketBody.most))
        return isGood ? .good : .expired
    }
}
