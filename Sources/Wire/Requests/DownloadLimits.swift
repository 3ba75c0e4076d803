public import Model

/// The member `limits`: how much a download may fetch, how fast, and over how many connections.
public struct DownloadLimits: Hashable, Sendable {
    public var maxBytes: Int64?
    public var rateBytesPerSecond: Int64?
    public var connections: Int?

    /// What a patch says of it: what is absent stays, null clears.
    public struct Changes: Hashable, Sendable {
        public var maxBytes: DownloadEdit.Change<Int64>?
        public var rateBytesPerSecond: DownloadEdit.Change<Int64>?
        public var connections: DownloadEdit.Change<Int>?
    }

    /// A lower rate could not be kept evenly: origins give up a connection that takes nothing for long.
    static let leastRate: Int64 = 1024
}

extension ObjectReader {
    mutating func limits(_ list: inout ViolationList) -> DownloadLimits {
        guard var limits = object("limits", &list) else { return DownloadLimits() }
        defer { limits.finish(&list) }
        return DownloadLimits(
            maxBytes: limits.maxBytes(&list),
            rateBytesPerSecond: limits.rate(&list),
            connections: limits.connections(&list)
        )
    }

    mutating func limitChanges(_ list: inout ViolationList) -> DownloadLimits.Changes {
        if value("limits") == .null {
            return DownloadLimits.Changes(maxBytes: .clear, rateBytesPerSecond: .clear, connections: .clear)
        }
        guard var limits = object("limits", &list) else { return DownloadLimits.Changes() }
        defer { limits.finish(&list) }
        return DownloadLimits.Changes(
            maxBytes: limits.change("max_bytes") { $0.maxBytes(&list) },
            rateBytesPerSecond: limits.change("rate_bytes_per_second") { $0.rate(&list) },
            connections: limits.change("connections") { $0.connections(&list) }
        )
    }

    mutating func maxBytes(_ list: inout ViolationList) -> Int64? {
        integer("max_bytes", in: 1...JSONValue.maximumInteger, &list)
    }

    private mutating func connections(_ list: inout ViolationList) -> Int? {
        integer("connections", in: 1...32, &list).map { Int($0) }
    }

    mutating func rate(_ list: inout ViolationList) -> Int64? { rate("rate_bytes_per_second", &list) }

    mutating func rate(_ name: String, _ list: inout ViolationList) -> Int64? {
        integer(name, in: DownloadLimits.leastRate...JSONValue.maximumInteger, &list)
    }
}
