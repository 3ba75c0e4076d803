public import Core
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

    func issue(_ context: RequestContext) throws(Problem) -> ServerResponse {
        _ = try Query(context.request.query)
        let bytes = context.body
        let body = try parsing { () throws(BodyError) in try NewTicketBody(parsing: bytes) }
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

/// A ticket allows its holder to read one path for a short time, where a browser cannot send a token.
///
/// It is sealed, so the service stores nothing for it, and it stays valid after a restart. It may be used more than
/// once, since a browser that lost its stream reconnects with the same URL.
public struct Ticket: Hashable, Sendable {
    /// The path in the form of a request target, without a query.
    public let path: String
    public let expiresAt: Timestamp
    /// The fingerprint of the token that it replaces. The ticket becomes invalid when the token changes.
    public let grant: [UInt8]

    private static let prefix = Array("ticket 1\n".utf8)

    public init(path: String, expiresAt: Timestamp, grant: [UInt8]) {
        self.path = path
        self.expiresAt = expiresAt
        self.grant = grant
    }

    public func text(_ sealer: CursorSealer) -> String {
        let head = Self.prefix + Array("\(expiresAt.milliseconds)\n\(path)\n".utf8)
        return Base64URL.encode(sealer.seal(head + grant))
    }

    /// Decodes a ticket; nil if it is invalid.
    public init?(_ text: String, _ sealer: CursorSealer) {
        guard text.utf8.count <= Cursor.maximumLength, let sealed = Base64URL.decode(text) else { return nil }
        guard let bytes = sealer.open(sealed), bytes.starts(with: Self.prefix) else { return nil }
        let parts = bytes.dropFirst(Self.prefix.count)
            .split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let time = Int64(String(decoding: parts[0], as: UTF8.self)) else { return nil }
        path = String(decoding: parts[1], as: UTF8.self)
        expiresAt = Timestamp(milliseconds: time)
        grant = Array(parts[2])
    }
}

/// The body of `POST /tickets`.
public struct NewTicketBody: Hashable, Sendable {
    /// The path that the ticket allows to read, without a query.
    public var path: String
    /// The lifetime in seconds.
    public var seconds: Int64

    /// The maximum lifetime in seconds.
    public static let most: Int64 = 300

    public init(parsing bytes: [UInt8]) throws(BodyError) {
        let value: JSONValue
        do throws(JSONParseError) { value = try JSONValue(parsing: bytes) } catch { throw .json(error) }
        var list = ViolationList()
        guard var reader = ObjectReader(value, at: .root, &list) else { throw .violations(list.violations) }
        reader.require("path", &list)
        path = reader.string("path", &list) ?? ""
        seconds = reader.integer("ttl_seconds", in: 1...Self.most, &list) ?? 60
        reader.finish(&list)
        try list.throwIfAny()
    }
}

/// The JSON of an issued ticket.
public struct TicketBody: Resource {
    public static let usualLength = 512

    private let text: String
    private let ticket: Ticket

    public init(_ ticket: Ticket, _ sealer: CursorSealer) {
        text = ticket.text(sealer)
        self.ticket = ticket
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("ticket", text)
            writer.member("path", ticket.path)
            writer.member("links") { $0.member("resource", "\(ticket.path)?ticket=\(text)") }
            writer.member("expires_at", ticket.expiresAt)
        }
    }
}
