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
        let bytes = try context.body(of: ["application/json"]).bytes
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

    /// Whether a request shows a ticket that is good for it.
    ///
    /// - Throws: For a ticket that is not.
    func admits(_ request: ServerRequest, to route: Route) throws(Problem) -> Bool {
        guard route.takesTicket, request.method == .get || request.method == .head else { return false }
        guard let text = Query.value(of: "ticket", in: request.query) else { return false }
        guard let ticket = Ticket(text, sealer), ticket.path == request.path, ticket.grant == grant,
            ticket.expiresAt.isAhead(of: time.now, within: .seconds(NewTicketBody.most))
        else {
            throw Problem(.unauthenticated, "The ticket is not for this path, or its time is over.")
                .with(.wwwAuthenticate, AccessGuard.challenge)
        }
        return true
    }
}
