public import Core

/// The blocks of a `text/event-stream` (WHATWG HTML, section 9.2.5), each whole, with the empty line that ends it.
///
/// What moves the point at which a client resumes has an `id`, the number of the last event that it saw; what does not
/// has none.
public enum StreamFrame {
    /// An event of the log.
    public static func event(_ event: LoggedEvent) -> [UInt8] {
        block(event.type.rawValue, id: event.sequence, reserving: event.body.count + 192) { event.write(to: &$0) }
    }

    /// What the downloads are that a stream is about.
    ///
    /// - Parameters:
    ///   - entries: ``snapshotEntry(of:)`` of each.
    ///   - sequence: Every event up to this one is in what is shown.
    ///   - isLast: Whether nothing more of the snapshot follows. Only then a client resumes behind it.
    public static func snapshot(_ entries: [[UInt8]], at sequence: Int64, isLast: Bool) -> [UInt8] {
        let capacity = entries.reduce(128) { $0 + $1.count + 1 }
        return block("snapshot", id: isLast ? sequence : nil, reserving: capacity) { writer in
            writer.object { writer in
                writer.member("seq", sequence)
                writer.member("more", !isLast)
                writer.name("items")
                writer.array(entries) { $0.raw($1) }
            }
        }
    }

    /// A download as a snapshot shows it.
    public static func snapshotEntry(of download: DownloadBody) -> [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        download.writeRequestSummary(to: &writer)
        return writer.bytes
    }

    /// Progress of a transfer. It is not repeated after a reconnect, because a newer one follows.
    public static func progress(of id: DownloadID, in session: SessionName?, _ progress: LiveProgress) -> [UInt8] {
        block("progress", id: nil, reserving: 384) { writer in
            writer.object { writer in
                writer.member("id", id.text)
                writer.member("session", session?.text)
                writer.member("phase", progress.reading.phase.rawValue)
                writer.member("progress") { progress.writeMembers(to: &$0) }
            }
        }
    }

    /// The event to resume from was purged: the client must start again.
    public static func reset(_ window: EventWindow) -> [UInt8] {
        block("reset", id: nil, reserving: 64) { writer in
            writer.object { $0.member("oldest_seq", window.oldest) }
        }
    }

    /// The download has ended and so does its stream. A client that reconnects with this id is answered that nothing
    /// follows.
    public static func end(of id: DownloadID, at sequence: Int64) -> [UInt8] {
        block("end", id: sequence, reserving: 96) { writer in
            writer.object { $0.member("id", id.text) }
        }
    }

    /// How long a client waits before it connects again.
    public static func retry(_ milliseconds: Int) -> [UInt8] { Array("retry: \(milliseconds)\n\n".utf8) }

    /// Moves the position at which a client resumes, without an event.
    public static func position(_ sequence: Int64) -> [UInt8] { Array("id: \(sequence)\n\n".utf8) }

    /// Keeps the connection alive, and shows whether anyone is there.
    public static func heartbeat(at now: Timestamp) -> [UInt8] { Array(": hb \(now.seconds)\n\n".utf8) }

    /// JSON has no line break within a string, and none is written elsewhere, so one line holds it.
    private static func block(
        _ name: String,
        id: Int64?,
        reserving capacity: Int,
        _ data: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter(reserving: capacity)
        if let id {
            writer.raw("id: ")
            writer.integer(id)
            writer.raw("\n")
        }
        writer.raw("event: \(name)\ndata: ")
        data(&writer)
        writer.raw("\n\n")
        return writer.bytes
    }
}
