public import Core
import HTTPFields

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
    public var description: DownloadEdit.Change<String>?
    public var labels: ClientObjectPatch?
    public var metadata: ClientObjectPatch?

    /// Reads a body of the given media type.
    public init(parsing bytes: [UInt8], as format: PatchFormat) throws(BodyError) {
        try self.init(JSONValue(body: bytes), as: format)
    }

    /// Takes a body over from a JSON value.
    public init(_ value: JSONValue, as format: PatchFormat) throws(BodyError) {
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
        description = reader.change("description") { $0.downloadDescription(&list) }
        labels = reader.clientObjectPatch(.labels, &list)
        metadata = reader.clientObjectPatch(.metadata, &list)
        try reader.close(&list)
    }
}

/// What a patch does to the method of a download's requests, and to their body.
public struct PostPatch: Hashable, Sendable {
    /// Nil leaves it.
    public let method: RequestMethod?
    /// Nil leaves it.
    public let body: DownloadEdit.Change<[UInt8]>?

    public init(method: RequestMethod? = nil, body: DownloadEdit.Change<[UInt8]>? = nil) {
        self.method = method
        self.body = body
    }

    /// The body of a POST after the patch, nil for a GET, made from the one before.
    ///
    /// - Throws: ``BodyError/violations(_:)`` where a GET would have a body.
    public func applied(to current: [UInt8]?) throws(BodyError) -> [UInt8]? {
        let method = method ?? (current == nil ? .get : .post)
        guard method == .post else {
            guard body?.value == nil else { throw .violations([Self.needsPost]) }
            return nil
        }
        return body.map { $0.value ?? [] } ?? current ?? []
    }

    static let needsPost = BodyViolation(
        JSONPointer.root.appending("body"),
        .forbidden,
        "Only a request by POST has a body."
    )
}

/// The members `method` and `body`.
extension ObjectReader {
    /// The body of a POST; nil for a GET.
    mutating func post(_ list: inout ViolationList) -> [UInt8]? {
        let method: RequestMethod = word("method", &list) ?? .get
        let body = body(&list)
        if method == .post { return body ?? [] }
        if body != nil { list.add(PostPatch.needsPost.pointer, PostPatch.needsPost.code, PostPatch.needsPost.detail) }
        return nil
    }

    mutating func postPatch(_ list: inout ViolationList) -> PostPatch? {
        let method: RequestMethod? = word("method", &list)
        let patch = PostPatch(method: method, body: change("body") { $0.body(&list) })
        return patch == PostPatch() ? nil : patch
    }

    private mutating func body(_ list: inout ViolationList) -> [UInt8]? {
        guard var reader = object("body", &list) else { return nil }
        defer { reader.finish(&list) }
        let text = reader.string("text", &list)
        let base64 = reader.string("base64", &list)
        switch (reader.present("text"), reader.present("base64")) {
        case (nil, nil): list.add(reader.pointer, .required, "Give the body as \"text\" or as \"base64\".")
        case (.some, .some): list.add(reader.pointer, .forbidden, "Give the body once, as \"text\" or as \"base64\".")
        default: break
        }
        guard text != nil || base64 != nil else { return nil }
        guard let bytes = text.map({ Array($0.utf8) }) ?? base64.flatMap({ Base64.decode($0.utf8) }) else {
            list.add(reader.pointer.appending("base64"), .malformed, "Expected base 64 (RFC 4648, section 4).")
            return nil
        }
        guard bytes.count <= RequestFieldRules.maximumBodyBytes else {
            list.add(reader.pointer, .tooLong, "A body has at most \(RequestFieldRules.maximumBodyBytes) bytes.")
            return nil
        }
        return bytes
    }
}
