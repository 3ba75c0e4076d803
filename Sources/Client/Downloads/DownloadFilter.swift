public import FoundationEssentials

/// The conditions of a list or an action; all must hold. A filter without conditions matches every download.
public struct DownloadFilter: Hashable, Sendable, Encodable {
    public var state: [String]?
    public var session: String?
    /// Each as `name:value`.
    public var label: [String]?
    /// The host of the URL, with a port if one is given.
    public var host: String?
    public var errorCode: String?
    public var createdAfter: Date?
    public var createdBefore: Date?
    public var finishedAfter: Date?
    public var finishedBefore: Date?
    /// A part of the name or of the URL without its query, in upper or lower case.
    public var q: String?
    /// At most 100.
    public var id: [String]?

    public init() {}

    /// Whether every download matches.
    public var isEmpty: Bool { self == DownloadFilter() }

    /// The query parameters of a list.
    var pairs: [APIRequest.Pair] {
        var request = APIRequest("GET", "/")
        request.addQuery("state", state?.joined(separator: ","))
        request.addQuery("session", session)
        for label in label ?? [] { request.addQuery("label", label) }
        request.addQuery("host", host)
        request.addQuery("error_code", errorCode)
        request.addQuery("created_after", createdAfter.map(InstantText.text))
        request.addQuery("created_before", createdBefore.map(InstantText.text))
        request.addQuery("finished_after", finishedAfter.map(InstantText.text))
        request.addQuery("finished_before", finishedBefore.map(InstantText.text))
        request.addQuery("q", q)
        request.addQuery("id", id?.joined(separator: ","))
        return request.query
    }
}
