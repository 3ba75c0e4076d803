public import Model

/// An event as webhooks receive it: `{"type", "timestamp", "data"}` of Standard Webhooks 1.0.0.
public struct EventBody: Sendable {
    let event: Event

    /// Standard Webhooks advises receivers to expect no more than 20 kB.
    static let maximumBytes = 20_000

    public init(_ event: Event) {
        self.event = event
    }

    /// The event's bytes. Where they would be too many, the download's metadata and mirrors are left out, and
    /// `truncated` is set.
    public func encoded() -> [UInt8] {
        let whole = encoded(truncating: false)
        return whole.count <= Self.maximumBytes ? whole : encoded(truncating: true)
    }

    private func encoded(truncating: Bool) -> [UInt8] {
        var writer = JSONWriter(reserving: 2560)
        writer.object { writer in
            writer.member("type", event.type.rawValue)
            writer.member("timestamp", event.at)
            writer.member("data") { writer in
                switch event.subject {
                case .download(let download, let previousState, let restart):
                    let body = DownloadBody(download: download, fileAvailable: true)
                    body.writeMembers(to: &writer, truncating: truncating)
                    writer.member("previous_state", previousState?.rawValue)
                    write(restart, to: &writer)
                    writer.member("truncated", truncating)
                case .session(let drain):
                    write(drain, to: &writer)
                }
                writer.member("seq", event.sequence)
            }
        }
        return writer.bytes
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
        writer.name("failed_ids")
        writer.array(drain.failed) { $0.string($1.text) }
        writer.member("last_seq", drain.lastSequence)
    }
}

/// The encoders that composition hands to those who know no JSON.
public enum WireEncoder {
    /// The bytes of an event, as the store keeps them and webhooks receive them.
    @Sendable public static func encode(event: Event) -> [UInt8] {
        EventBody(event).encoded()
    }
}
