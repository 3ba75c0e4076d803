import HTTPTypes
import MicroHTTP
import Model
import Wire

/// `/tickets`: what a browser shows where it cannot send a token, as for a stream (`EventSource`) or a link to a file.
struct Tickets: Sendable {
    let sealer: CursorSealer
    /// What the access is known by that tickets stand for.
    let grant: [UInt8]
    let time: TimeSource

    // MARK: - POST /tickets

    func give(_ context: RequestContext) throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        let body = try parsing { () throws(BodyFault) in try NewTicketBody(parsing: bytes) }
        guard let route = Route(path: body.path), route.takesTicket else {
            let detail = "It is the path of events or of a file, without a query."
            throw Problem(
                .invalidRequest,
                "The request has members that cannot be taken.",
                errors: [ProblemError(.pointer(JSONPointer(text: "/path")), code: .malformed, detail: detail)]
            )
        }
        let ticket = Ticket(path: body.path, expiresAt: time.now + .seconds(body.seconds), grant: grant)
        return .json(.created, TicketBody(ticket, sealer).encoded())
    }

    // MARK: - Showing one

    /// What a request shows.
    enum Shown {
        case none
        case good
        /// The ticket was issued, but for another path, or it has expired.
        case expired
        /// The service did not issue this ticket.
        case wrong
    }

    static var refusal: Problem {
        Problem(.unauthenticated, "The ticket is not for this path, or its time is over.")
            .with(.wwwAuthenticate, AccessGuard.challenge)
    }

    func judge(_ head: ServerRequest.Head, for route: Route) -> Shown {
        guard route.takesTicket, head.method == .get || head.method == .head else { return .none }
        guard let text = Query.value(of: "ticket", in: head.query) else { return .none }
        guard let ticket = Ticket(text, sealer) else { return .wrong }
        let isGood =
            ticket.path == head.path && ticket.grant == grant
            && ticket.expiresAt.isAhead(of: time.now, within: .seconds(NewTicketBody.most))
        return isGood ? .good : .expired
    }
}
