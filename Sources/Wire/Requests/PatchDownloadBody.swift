public import Model

/// The body of `PATCH /downloads/{id}`, of either media type.
///
/// Members that stand in both are merged as RFC 7396 says: what is absent stays, null clears, objects are merged name
/// by name.
public struct PatchDownloadBody: Hashable, Sendable {
    public var action: DownloadAction?
    /// For `cancel`: leaves the bytes for a later retry.
    public var keepsPartial: Bool
    public var expectedRevision: Int64?
    public var url: String?
    /// Empty to clear.
    public var mirrors: [String]?
    public var refreshURL: DownloadEdit.Change<String>?
    public var requestHeaders: HeaderPatch?
    public var authentication: DownloadEdit.Change<OriginAuthentication>?
    public var cookies: CookiePatch?
    public var post: PostPatch?
    public var proxy: DownloadEdit.Change<ProxyChoice>?
    public var deadlineAt: Timestamp?
    public var limits: DownloadLimits.Changes
    public var maxAttempts: DownloadEdit.Change<Int>?
    public var priority: Priority?
    public var notBefore: DownloadEdit.Change<Timestamp>?
    public var labels: ClientObjectPatch?
    public var metadata: ClientObjectPatch?

    /// Reads a body of the given media type.
    public init(parsing bytes: [UInt8], as format: PatchFormat) throws(BodyFault) {
        try self.init(JSONValue(body: bytes), as: format)
    }

    /// Takes a body over from a JSON value.
    public init(_ value: JSONValue, as format: PatchFormat) throws(BodyFault) {
        var list = ViolationList()
        var reader = try ObjectReader(body: value)
        keepsPartial = false
        if format == .json {
            reader.requireChange(&list)
            reader.refuseNull(["action", "keep_partial"], &list)
            action = reader.word("action", &list)
            keepsPartial = reader.bool("keep_partial", &list) ?? false
            expectedRevision = reader.expectedRevision(from: 1, &list)
            if reader.present("keep_partial") != nil { reader.require("action", &list) }
        }
        reader.refuseNull(["url", "deadline_at", "priority", "method"], &list)
        url = reader.url("url", &list)
        mirrors = reader.value("mirrors") == .null ? [] : reader.mirrors(&list)
        refreshURL = reader.refreshURLChange(&list)
        deadlineAt = reader.instant("deadline_at", &list)
        priority = reader.priority(&list)
        notBefore = reader.notBeforeChange(&list)
        requestHeaders = reader.headerPatch(&list)
        authentication = reader.authenticationChange(&list)
        cookies = reader.cookiePatch(&list)
        post = reader.postPatch(&list)
        proxy = reader.proxyChange(&list)
        limits = reader.limitChanges(&list)
        maxAttempts = reader.maxAttemptsChange(&list)
        labels = reader.clientObjectPatch(.labels, &list)
        metadata = reader.clientObjectPatch(.metadata, &list)
        try reader.close(&list)
    }
}
