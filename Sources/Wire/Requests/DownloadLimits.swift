public import Model

/// The member `limits`: how much a download may fetch, and how fast.
public struct DownloadLimits: Hashable, Sendable {
    public var maxBytes: Int64?
    public var rateBytesPerSecond: Int64?

    /// What a patch says of it: what is absent stays, null clears.
    public struct Changes: Hashable, Sendable {
        public var maxBytes: DownloadEdit.Change<Int64>?
        public var rateBytesPerSecond: DownloadEdit.Change<Int64>?
    }

    /// A lower rate could not be kept evenly: origins give up a connection that takes nothing for long.
    static let leastRate: Int64 = 1024
}

extension ObjectReader {
    mutating func limits(_ list: inout ViolationList) -> DownloadLimits {
        guard var limits = object("limits", &list) else { return DownloadLimits() }
        defer { limits.finish(&list) }
        return DownloadLimits(maxBytes: limits.maxBytes(&list), rateBytesPerSecond: limits.rate(&list))
    }

    mutating func limitChanges(_ list: inout ViolationList) -> DownloadLimits.Changes {
        if value("limits") == .null { return DownloadLimits.Changes(maxBytes: .clear, rateBytesPerSecond: .clear) }
        guard var limits = object("limits", &list) else { return DownloadLimits.Changes() }
        defer { limits.finish(&list) }
        let clearsRate = limits.value("rate_bytes_per_second") == .null
        return DownloadLimits.Changes(
            maxBytes: limits.value("max_bytes") == .null ? .clear : limits.maxBytes(&list).map { .set($0) },
            rateBytesPerSecond: clearsRate ? .clear : limits.rate(&list).map { .set($0) }
        )
    }

    private mutating func maxBytes(_ list: inout ViolationList) -> Int64? {
        integer("max_bytes", in: 1...JSONValue.maximumInteger, &list)
    }

    mutating func rate(_ list: inout ViolationList) -> Int64? {
        integer("rate_bytes_per_second", in: DownloadLimits.leastRate...JSONValue.maximumInteger, &list)
    }
}
