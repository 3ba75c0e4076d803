public import Core

/// The JSON of a host.
public struct HostBody: Resource {
    public static let usualLength = 384

    let host: HostView

    public init(_ host: HostView) {
        self.host = host
    }

    public func write(to writer: inout JSONWriter) {
        let snapshot = host.snapshot
        writer.object { writer in
            writer.member("authority", host.authority)
            writer.member("state", snapshot.state.rawValue)
            writer.member("reason", snapshot.reason?.rawValue)
            writer.member("held_until_at", snapshot.heldUntil)
            writer.member("open_connections", snapshot.openConnections)
            writer.member("connection_limit", snapshot.connectionLimit)
            writer.member("max_connection_limit", snapshot.maxConnectionLimit)
            writer.member("connections_per_download", snapshot.connectionsPerDownload)
            writer.member("waiting_reason", snapshot.waitingReason(of: host.authority, instant: Instant.text))
            writer.name("events")
            writer.array(snapshot.events) { writer, event in
                writer.object { writer in
                    writer.member("at", event.at)
                    writer.member("cause", event.cause.rawValue)
                    writer.member("connection_limit", event.connectionLimit)
                }
            }
            writer.member("refuses_ranges_until_at", host.refusesRangesUntil)
            writer.member("limits") { $0.member("rate_bytes_per_second", host.bytesPerSecond) }
            writer.member("links") { $0.member("self", Self.path(of: host.authority)) }
        }
    }

    /// A path encodes the brackets of a literal IPv6 address (RFC 3986, section 3.3).
    private static func path(of authority: String) -> String {
        "/hosts/"
            + authority.reduce(into: "") { path, character in
                switch character {
                case "[": path += "%5B"
                case "]": path += "%5D"
                default: path.append(character)
                }
            }
    }
}

/// The body of `PATCH /hosts/{authority}`: an absent member keeps its value, null clears it.
public struct PatchHostBody: Hashable, Sendable {
    public var rateBytesPerSecond: DownloadEdit.Change<Int64>?

    public init(parsing bytes: [UInt8]) throws(BodyError) {
        var reader = try ObjectReader(body: bytes)
        reader.requireChange()
        if reader.isNull("limits") {
            rateBytesPerSecond = .clear
        } else {
            rateBytesPerSecond = reader.object("limits") { $0.change("rate_bytes_per_second", .rate) } ?? nil
        }
        try reader.close()
    }
}
