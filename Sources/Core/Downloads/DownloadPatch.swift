/// Changes of a download by a client, and an action on it. A nil member stays as it is.
///
/// It describes changes, not a result (RFC 7396), so it is applied inside the write transaction to the download found
/// there.
public struct DownloadPatch: Sendable {
    public typealias Change = DownloadEdit.Change

    public var action: DownloadAction?
    /// For `cancel`: leaves the bytes for a later retry.
    public var keepsPartial = false
    /// Refuses the patch if state or configuration changed since this revision.
    public var expectedRevision: Int64?
    /// The members that need no more than a check. Mirrors and the refresh URL are open.
    public var edit = DownloadEdit()
    public var url: GivenURL?
    public var requestHeaders: HeaderPatch?
    public var authentication: Change<OriginAuthentication>?
    public var cookies: CookiePatch?
    public var post: PostPatch?
    public var proxy: Change<ProxyChoice>?
    public var labels: ObjectPatch?
    public var metadata: ObjectPatch?

    public init() {}

    /// Whether it changes anything besides what its action does.
    public var hasEdit: Bool {
        url != nil || !credentialMembers.isEmpty || labels != nil || metadata != nil || !edit.isEmpty
    }

    /// The members that change what requests carry, by their names in the API.
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

/// A patch of `labels` or `metadata`. The JSON reader makes it, because `Core` knows no JSON.
public struct ObjectPatch: Sendable {
    private let merge: @Sendable (JSONText?) throws(Violations) -> DownloadEdit.Change<JSONText>

    public init(_ merge: @escaping @Sendable (JSONText?) throws(Violations) -> DownloadEdit.Change<JSONText>) {
        self.merge = merge
    }

    /// The object after the patch.
    ///
    /// - Throws: When it would outgrow its limits.
    public func applied(to current: JSONText?) throws(Violations) -> DownloadEdit.Change<JSONText> {
        try merge(current)
    }
}

/// A patch of the request's method and body.
public struct PostPatch: Hashable, Sendable {
    /// Nil for no change.
    public let method: RequestMethod?
    /// Nil for no change.
    public let body: DownloadEdit.Change<[UInt8]>?

    public init(method: RequestMethod? = nil, body: DownloadEdit.Change<[UInt8]>? = nil) {
        self.method = method
        self.body = body
    }

    /// The body of the POST after the patch; nil for a GET.
    ///
    /// - Throws: Where a GET would have a body.
    public func applied(to current: [UInt8]?) throws(Violations) -> [UInt8]? {
        let method = method ?? (current == nil ? .get : .post)
        guard method == .post else {
            guard body?.value == nil else { throw Violations([Self.needsPost]) }
            return nil
        }
        return body.map { $0.value ?? [] } ?? current ?? []
    }

    public static let needsPost = Violation(
        "/body",
        .forbidden,
        "Only a POST has a body. Set method to POST, or leave the body out."
    )
}
