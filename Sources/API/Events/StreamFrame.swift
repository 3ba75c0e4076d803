public import Core

/// The blocks of a `text/event-stream` (WHATWG HTML, section 9.2.5). Each is complete, with the empty line at its end.
///
/// A frame that moves the client's resume position has an `id`: the number of the last event that the client has seen.
/// Other frames have no `id`.
public enum StreamFrame {
    /// An event of the log.
    public static func event(_ event: LoggedEvent) -> [UInt8] {
        block(event.type.rawValue, id: event.sequence, reserving: event.body.count + 192) { event.write(to: &$0) }
    }

    /// One part of the snapshot of a stream's downloads.
    ///
    /// - Parameters:
    ///   - entries: ``snapshotEntry(of:)`` of each download.
    ///   - sequence: The snapshot includes every event up to this one.
    ///   - isLast: Whether this is the last part. Only then does the client resume after the snapshot.
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

    /// The entry of a download in a snapshot.
    public static func snapshotEntry(of download: DownloadBody) -> [UInt8] {
        var writer = JSONWriter(reserving: 1024)
        download.writeRequestSummary(to: &writer)
        return writer.bytes
    }

    /// The progress of a transfer. It is not repeated after a reconnect, because a newer one follows.
    ///
    /// - Parameter segments: nil for a client that does not want them.
    public static func progress(
        of id: DownloadID,
        in session: SessionName?,
        _ progress: LiveProgress,
        segments: [SegmentReading]? = nil
    ) -> [UInt8] {
        block("progress", id: nil, reserving: 384 + 160 * (segments?.count ?? 0)) { writer in
            writer.object { writer in
                writer.member("id", id.text)
                writer.member("session", session?.text)
                writer.member("phase", progress.reading.phase.rawValue)
                writer.member("progress") { progress.writeMembers(to: &$0) }
                guard let segments else { return }
                writer.name("segments")
                writer.segments(segments)
            }
        }
    }

    /// Reports that the event to resume from was purged. The client must start again.
    public static func reset(_ window: EventWindow) -> [UInt8] {
        block("reset", id: nil, reserving: 64) { writer in
            writer.object { $0.member("oldest_seq", window.oldest) }
        }
    }

    /// Reports that the download has ended, and its stream with it. A client that reconnects with this id gets the
    /// status 204 (No Content).
    public static func end(of id: DownloadID, at sequence: Int64) -> [UInt8] {
        block("end", id: sequence, reserving: 96) { writer in
            writer.object { $0.member("id", id.text) }
        }
    }

    /// The time that a client waits before it reconnects.
    public static func retry(_ milliseconds: Int) -> [UInt8] { Array("retry: \(milliseconds)\n\n".utf8) }

    /// Moves the client's resume position without an event.
    public static func position(_ sequence: Int64) -> [UInt8] { Array("id: \(sequence)\n\n".utf8) }

    /// A comment that keeps the connection alive and detects a broken one.
    public static func heartbeat(at now: Timestamp) -> [UInt8] { Array(": hb \(now.seconds)\n\n".utf8) }

    /// Writes the JSON in one `data` line: strings escape line breaks, and the writer adds none.
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
