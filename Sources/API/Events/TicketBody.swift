import Core
import HTTPServer
import HTTPTypes

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
