public import Core

/// An event as the log has it and webhooks receive it.
public struct EventBody: Sendable {
    let event: Event
    let form: EventForm

    /// Standard Webhooks advises receivers to expect no more than 20 kB.
    static let maximumBytes = 20_000

    public init(_ event: Event, form: EventForm = .standard) {
        self.event = event
        self.form = form
    }

    /// The event's bytes. Where they would be too many, the download's metadata and mirrors are left out, and
    /// `truncated` is set.
    public func encoded() -> [UInt8] {
        let whole = encoded(truncating: false)
        return whole.count <= Self.maximumBytes ? whole : encoded(truncating: true)
    }

    private func encoded(truncating: Bool) -> [UInt8] {
        var writer = JSONWriter(reserving: form.payload == .thin ? 512 : 2560)
        writer.object { writer in
            switch form.format {
            case .standard:
                writer.member("type", event.type.rawValue)
                writer.member("timestamp", event.at)
            case .cloudEvents: writeContext(to: &writer)
            }
            writer.member("data") { writer in
                switch form.payload {
                case .snapshot: writeSnapshot(truncating: truncating, to: &writer)
                case .thin: writeReference(to: &writer)
                }
                writer.member("seq", event.sequence)
            }
        }
        return writer.bytes
    }

    /// The context attributes of CloudEvents 1.0, sections 3.1 and 3.2.
    private func writeContext(to writer: inout JSONWriter) {
        writer.member("specversion", "1.0")
        writer.member("id", event.id.text)
        writer.member("source", "/cormorant")
        writer.member("type", event.type.rawValue)
        writer.member("subject", event.subject.name)
        writer.member("time", event.at)
        writer.member("datacontenttype", "application/json")
    }

    private func writeSnapshot(truncating: Bool, to writer: inout JSONWriter) {
        switch event.subject {
        case .download(let download, let previousState, let restart):
            let body = DownloadBody(download: download, fileAvailable: true)
            body.writeMembers(to: &writer, truncating: truncating)
            writer.member("previous_state", previousState?.rawValue)
            write(restart, to: &writer)
            writer.member("truncated", truncating)
        case .session(let drain): write(drain, to: &writer)
        case .webhook(let notice): write(notice, to: &writer)
        }
    }

    /// The members that identify the subject of a thin event, with its state.
    private func writeReference(to writer: inout JSONWriter) {
        switch event.subject {
        case .download(let download, _, _):
            writer.member("id", download.id.text)
            writer.member("session", download.request.session?.text)
            writer.member("state", download.state.rawValue)
        case .session(let drain):
            writer.member("session", drain.name.text)
            writer.member("epoch", drain.epoch)
        case .webhook(let notice): writer.member("id", notice.id.text)
        }
        writer.member("links") { $0.member("self", event.subject.path) }
    }

    /// Only an event of a restart has this member.
    private func write(_ restart: Event.Restart?, to writer: inout JSONWriter) {
        guard let restart else { return }
        writer.member("restart") { writer in
            writer.member("reason", restart.reason)
            writer.member("discarded_bytes", restart.discardedBytes)
        }
    }

    private func write(_ drain: SessionDrain, to writer: inout JSONWriter) {
        writer.member("session", drain.name.text)
        writer.member("epoch", drain.epoch)
        writer.member("sealed", drain.isSealed)
        writer.member("counts") { writer in
            for state in DownloadState.allCases where state.isTerminal {
                writer.member(state.rawValue, drain.counts[state] ?? 0)
            }
        }
        writer.member("received_bytes", drain.receivedBytes)
        writer.member("started_at", drain.startedAt)
        writer.member("finished_at", drain.finishedAt)
        writer.name("failed_download_ids")
        writer.array(drain.failed) { $0.string($1.text) }
        writer.member("last_seq", drain.lastSequence)
    }

    private func write(_ notice: WebhookNotice, to writer: inout JSONWriter) {
        writer.member("id", notice.id.text)
        writer.member("url", RedactedURL(notice.url, hiding: .path).text)
        writer.member("enabled", notice.disabled == nil)
        writer.member("disabled_reason", notice.disabled?.reason)
        writer.member("disabled_at", notice.disabled?.at)
    }
}

extension Event.Subject {
    /// What it is called.
    fileprivate var name: String {
        switch self {
        case .download(let download, _, _): download.id.text
        case .session(let drain): drain.name.text
        case .webhook(let notice): notice.id.text
        }
    }

    fileprivate var path: String {
        switch self {
        case .download: "/downloads/\(name)"
        // A session's name holds nothing that a URL would have to escape.
        case .session: "/sessions/\(name)"
        case .webhook: "/webhooks/\(name)"
        }
    }
}

/// The encoders that composition hands to those who know no JSON.
public enum JSONEncoding {
    /// The bytes of an event, as the store keeps them and webhooks receive them.
    @Sendable public static func encode(event: Event, form: EventForm = .standard) -> [UInt8] {
        EventBody(event, form: form).encoded()
    }
}

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
            writer.member("next_after_seq", page.last)
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
            // The stored bytes are a JSON object; its members are between the braces.
            let members = body.dropFirst().dropLast()
            guard !members.isEmpty else { return }
            writer.raw(",")
            writer.raw(Array(members))
        }
    }
}
