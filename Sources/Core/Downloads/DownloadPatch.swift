import HTTPFields

/// A client's changes to a download, and an action on it. A nil member means no change.
///
/// It describes changes, not the result (RFC 7396), so it is applied to the stored download inside the write
/// transaction.
public struct DownloadPatch: Sendable {
    public typealias Change = DownloadEdit.Change

    public var action: DownloadAction?
    /// For `cancel`: keeps the bytes for a later retry.
    public var keepsPartial = false
    /// For `retry`: fetches the file of a completed download again.
    public var forces = false
    /// The patch is refused if the revision of state and configuration is not this one.
    public var expectedRevision: Int64?
    /// The members that only need validation. The mirrors and the refresh URL are not encrypted.
    public var edit = DownloadEdit()
    public var url: GivenURL?
    public var requestHeaders: HeaderPatch?
    public var authentication: Change<OriginAuthentication>?
    public var cookies: CookiePatch?
    public var post: PostPatch?
    public var proxy: Change<ProxyChoice>?
    /// Its variables are not replaced yet.
    public var directory: Change<DirectoryTemplate>?
    public var expected: ExpectedPatch?
    public var labels: ObjectPatch?
    public var metadata: ObjectPatch?

    public init() {}

    /// Whether it changes anything besides the effect of its action.
    public var hasEdit: Bool {
        url != nil || !credentialMembers.isEmpty || directory != nil || expected != nil || labels != nil
            || metadata != nil || !edit.isEmpty
    }

    /// Whether it would move the file of a completed download.
    public var movesFile: Bool { action == nil && (directory != nil || edit.filename != nil) }

    /// The API names of the members that change the place of the file.
    public var placeMembers: [String] {
        (directory == nil ? [] : ["directory"]) + (edit.filename == nil ? [] : ["filename"])
    }

    /// The API names of the members that change the content of requests.
    public var credentialMembers: [String] {
        var members: [String] = []
        if requestHeaders != nil { members.append("request_headers") }
        if authentication != nil { members.append("authentication") }
        if cookies != nil { members.append("cookies") }
        if post != nil { members.append("method") }
        if proxy != nil { members.append("proxy") }
        return members
    }
}

/// A patch of `labels` or `metadata`. The JSON reader creates it, because `Core` has no JSON parser.
public struct ObjectPatch: Sendable {
    private let merge: @Sendable (JSONText?) throws(Violations) -> DownloadEdit.Change<JSONText>

    public init(_ merge: @escaping @Sendable (JSONText?) throws(Violations) -> DownloadEdit.Change<JSONText>) {
        self.merge = merge
    }

    /// The object after the patch.
    ///
    /// - Throws: If the result exceeds its limits.
    public func applied(to current: JSONText?) throws(Violations) -> DownloadEdit.Change<JSONText> {
        try merge(current)
    }
}
