public import Core

/// The JSON of an event in the log and in webhooks.
public struct EventBody: Sendable {
    let event: Event
    let form: EventForm

    /// Standard Webhooks advises receivers to expect no more than 20 kB.
    static let maximumBytes = 20_000

    public init(_ event: Event, form: EventForm = .standard) {
        self.event = event
        self.form = form
    }

    /// The JSON of the event. If it exceeds ``maximumBytes``, metadata and mirrors are omitted, and `truncated` is set.
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
            let body = DownloadBody(download: download, fileAvailable: true, deferral: event.deferral)
            body.writeMembers(to: &writer, truncating: truncating)
            writer.member("previous_state", previousState?.rawValue)
            write(restart, to: &writer)
            writer.member("truncated", truncating)
        case .session(let finished): write(finished, to: &writer)
        case .webhook(let notice): write(notice, to: &writer)
        case .operation(let operation): OperationBody(operation).writeMembers(to: &writer, explaining: false)
        }
    }

    /// The members that identify the subject of a thin event, and its state.
    private func writeReference(to writer: inout JSONWriter) {
        switch event.subject {
        case .download(let download, _, _):
            writer.member("id", download.id.text)
            writer.member("session", download.request.session?.text)
            writer.member("state", download.state.rawValue)
        case .session(let finished):
            writer.member("session", finished.name.text)
            writer.member("epoch", finished.epoch)
        case .webhook(let notice): writer.member("id", notice.id.text)
        case .operation(let operation): writer.member("id", operation.id.text)
        }
        writer.member("links") { $0.member("self", event.subject.path) }
    }

    /// Writes the member `restart`, which only restart events have.
    private func write(_ restart: Event.Restart?, to writer: inout JSONWriter) {
        guard let restart else { return }
        writer.member("restart") { writer in
            writer.member("reason", restart.reason)
            writer.member("discarded_bytes", restart.discardedBytes)
        }
    }

    private func write(_ finished: FinishedSession, to writer: inout JSONWriter) {
        writer.member("session", finished.name.text)
        writer.member("epoch", finished.epoch)
        writer.member("sealed", finished.isSealed)
        writer.member("counts") { writer in
            for state in DownloadState.allCases where state.isTerminal {
                writer.member(state.rawValue, finished.counts[state] ?? 0)
            }
        }
        writer.member("received_bytes", finished.receivedBytes)
        writer.member("started_at", finished.startedAt)
        writer.member("finished_at", finished.finishedAt)
        writer.name("failed_download_ids")
        writer.array(finished.failed) { $0.string($1.text) }
        writer.member("last_seq", finished.lastSequence)
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
    /// The subject's id or name.
    fileprivate var name: String {
        switch self {
        case .download(let download, _, _): download.id.text
        case .session(let finished): finished.name.text
        case .webhook(let notice): notice.id.text
        case .operation(let operation): operation.id.text
        }
    }

    fileprivate var path: String {
        switch self {
        case .download: "/downloads/\(name)"
        // A session name contains no character that a URL must escape.
        case .session: "/sessions/\(name)"
        case .webhook: "/webhooks/\(name)"
        case .operation: "/operations/\(name)"
        }
    }
}

/// JSON encoders for components that do not depend on this target.
public enum JSONEncoding {
    /// The JSON of an event, as stored and as sent to webhooks.
    @Sendable public static func encode(event: Event, form: EventForm = .standard) -> [UInt8] {
        EventBody(event, form: form).encoded()
    }
}

extension LoggedEvent {
    /// Writes the event for pages and streams: number and id, then the members that webhooks receive, byte for byte.
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
