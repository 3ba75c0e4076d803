public import Core

/// The JSON of one page of the event log.
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
            writer.member("next_after_seq", page.last)
            writer.member("oldest_seq", page.window.oldest)
            writer.member("newest_seq", page.window.newest)
        }
        return writer.bytes
    }
}
