/// Which events a stream or a page has.
public struct EventQuery: Hashable, Sendable {
    /// Types or patterns such as `download.*`; all if empty.
    public var types: [String] = []
    public var session: String?
    public var downloadID: String?
    /// Only events after this number. A stream then has no snapshot.
    public var afterSeq: Int64?
    /// Whether a stream begins with a snapshot.
    public var hasSnapshot = true
    /// Whether the progress in a stream contains the segments of its download.
    public var hasSegments = false

    public init(types: [String] = [], session: String? = nil, downloadID: String? = nil, afterSeq: Int64? = nil) {
        self.types = types
        self.session = session
        self.downloadID = downloadID
        self.afterSeq = afterSeq
    }

    func pairs(isStream: Bool) -> [APIRequest.Pair] {
        var request = APIRequest("GET", "/events")
        request.addQuery("types", types.isEmpty ? nil : types.joined(separator: ","))
        request.addQuery("session", session)
        request.addQuery("download_id", downloadID)
        request.addQuery("after_seq", isStream ? nil : afterSeq.map { "\($0)" })
        request.addQuery("snapshot", isStream && !hasSnapshot ? "false" : nil)
        request.addQuery("view", isStream && hasSegments ? "segments" : nil)
        return request.query
    }
}
