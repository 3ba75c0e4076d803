public import Model

/// A page of the log of events.
public struct EventPageBody: Sendable {
    private let page: EventPage

    public init(_ page: EventPage) {
        self.page = page
    }

    /// The JSON of the body.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: page.events.reduce(256) { $0 + $1.body.count + 64 })
        writer.object { writer in
            writer.name("items")
            writer.array(page.events) { $1.write(to: &$0) }
            writer.member("next_after", page.last)
            writer.member("oldest_seq", page.window.oldest)
            writer.member("newest_seq", page.window.newest)
        }
        return writer.bytes
    }
}

extension LoggedEvent {
    /// The event as pages and streams show it: number and id, then the members that webhooks receive, byte for byte.
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("seq", sequence)
            writer.member("id", id.text)
            // The stored bytes are an object of their own, whose members stand between its braces.
            let members = body.dropFirst().dropLast()
            guard !members.isEmpty else { return }
            writer.raw(",")
            writer.raw(Array(members))
        }
    }
}
