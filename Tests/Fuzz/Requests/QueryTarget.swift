import Core
import HTTPServer
import HTTPTypes
import Service

@testable import API
@testable import HTTPServer

extension FuzzTarget {
    /// Queries, cursors, tickets and the fields that the API reads. The first byte chooses.
    static let queries = FuzzTarget(name: "queries") { bytes in
        let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        if "le".utf8.contains(bytes.first ?? 0) {
            // No other query reaches the API.
            let raw = Array("/?".utf8) + bytes.dropFirst()
            guard (try? RequestTarget(raw: raw, authority: nil, isOptions: false)) != nil else { return }
        }
        switch bytes.first {
        case UInt8(ascii: "l"): try checkList(text)
        case UInt8(ascii: "e"):
            do { _ = try EventQuery(context(query: text), acceptsSubjects: true) } catch is Problem {}
        case UInt8(ascii: "c"): try checkSealed(Array(bytes.dropFirst()))
        case UInt8(ascii: "f"): try checkFields(bytes)
        default: break
        }
    }

    private static let plain = CursorSealer(seal: { $0 }, open: { $0 })

    private static func checkList(_ text: String) throws {
        let allowed = DownloadFilter.parameters + ["sort", "limit", "cursor", "state"]
        do {
            let query = try Query(text, allowed: allowed, repeatable: DownloadFilter.repeatable)
            let filter = try DownloadFilter(query)
            _ = try JSONValue(parsing: Array(filter.canonicalText.utf8))
            _ = try DownloadOrder(query)
            try check((1...200).contains(query.limit(default: 50, most: 200)), "a page has 1 to 200 items")
            _ = try DeliveryFilter(Query(text, allowed: ["state", "types", "created_after", "created_before"]))
        } catch let problem as Problem {
            _ = try JSONValue(parsing: problem.body.encoded())
        }
    }

    private static func checkSealed(_ bytes: [UInt8]) throws {
        let text = Base64URL.encode(bytes)
        try checkSame(bytes, Base64URL.decode(text), "what is encoded is decoded")
        if let cursor = Cursor(text, list: "", plain) {
            try checkSame(cursor, Cursor(cursor.text(plain), list: "", plain), "a cursor is read again")
            if let position = DownloadPosition(cursor.lastKey) {
                try checkSame(position.text, DownloadPosition(position.text)?.text, "a position is read again")
            }
        }
        // A sealed path is UTF-8.
        if let ticket = Ticket(text, plain), !ticket.path.contains("\u{FFFD}") {
            try checkSame(ticket, Ticket(ticket.text(plain), plain), "a ticket is read again")
            let now = Timestamp(milliseconds: 0)
            _ = ticket.expiresAt.isAhead(of: now, within: .seconds(NewTicketBody.most))
        }
    }

    /// One line for each field.
    private static func checkFields(_ bytes: [UInt8]) throws {
        let names: [HTTPField.Name] = [
            .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .idempotencyKey, .acceptEncoding, .requestID,
            .lastEventID,
        ]
        var fields = HTTPFields()
        for (name, line) in zip(names, bytes.dropFirst().split(separator: 0x0A, omittingEmptySubsequences: false)) {
            let value = String(decoding: line, as: UTF8.self)
            if !value.isEmpty, HTTPField.isValidValue(value) { fields[name] = value }
        }
        let context = context(query: nil, fields: fields)
        let conditions = Preconditions(fields)
        _ = conditions.allowsChange(of: "\"1.2\"") || conditions.isNotModified("\"1.2\"")
        _ = try? context.idempotentRequest()
        _ = try? EventQuery(context, acceptsSubjects: false)
        let id = RequestContext.requestID(of: context.request.head, now: Timestamp(milliseconds: 0))
        try check((1...64).contains(id.utf8.count) && !id.hasControl, "the id of a request can be logged: \(id)")
    }

    private static func context(query: String?, fields: HTTPFields = [:]) -> RequestContext {
        let head = ServerRequest.Head(
            method: .get,
            target: "/events",
            path: "/events",
            query: query,
            authority: "a.example",
            host: "a.example",
            isHTTP10: false,
            headerFields: fields,
            remoteAddress: "127.0.0.1"
        )
        return RequestContext(request: ServerRequest(head: head, body: []), requestID: "r", caller: "c")
    }
}
