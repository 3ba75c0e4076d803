public import Core

/// The body of `POST /downloads`. Its URL is still text: what a destination may be is decided elsewhere.
public struct CreateDownloadBody: Hashable, Sendable {
    public var url: String
    public var mirrors: [String]
    public var metalink: MetalinkMode
    /// Text, too.
    public var refreshURL: String?
    public var directory: RelativeDirectory?
    public var filename: FileName?
    public var onConflict: ConflictPolicy
    public var session: SessionName?
    /// In the order in which they stood.
    public var requestHeaders: [RequestCredentials.Header]
    public var authentication: OriginAuthentication?
    public var cookies: [RequestCredentials.Cookie]
    /// The body of a POST; nil asks by GET.
    public var postBody: [UInt8]?
    public var proxy: ProxyChoice?
    public var expected: Expected
    public var limits: DownloadLimits
    public var maxAttempts: Int?
    public var deadlineAt: Timestamp?
    public var priority: Priority
    public var notBefore: Timestamp?
    /// False lets it begin paused.
    public var starts: Bool
    public var description: String?
    public var labels: JSONText?
    public var metadata: JSONText?
    public var dedupeKey: String?
    public var acceptsUnverifiedLength: Bool
    /// Text, too.
    public var callbackURL: String?
    public var webhookIDs: [WebhookID]

    /// Reads a body. A member that is null counts as absent.
    public init(parsing bytes: [UInt8]) throws(BodyError) {
        try self.init(JSONValue(body: bytes))
    }

    /// Takes a body over from a JSON value.
    ///
    /// - Parameter pointer: Where it stands in the request.
    public init(_ value: JSONValue, at pointer: JSONPointer = .root) throws(BodyError) {
        var list = ViolationList()
        var reader = try ObjectReader(body: value, at: pointer)
        reader.require("url", &list)
        url = reader.url("url", &list) ?? ""
        mirrors = reader.mirrors(&list) ?? []
        metalink = reader.word("metalink", &list) ?? .follow
        refreshURL = reader.url("refresh_url", &list)
        directory = reader.directory(&list)
        filename = reader.filename(&list)
        onConflict = reader.word("on_conflict", &list) ?? .rename
        session = reader.session(&list)
        requestHeaders = reader.requestHeaders(&list)
        authentication = reader.authentication(&list)
        cookies = reader.cookies(&list)
        postBody = reader.post(&list)
        proxy = reader.proxy(&list)
        expected = reader.expected(&list)
        limits = reader.limits(&list)
        maxAttempts = reader.maxAttempts(&list)
        deadlineAt = reader.instant("deadline_at", &list)
        priority = reader.priority(&list) ?? .ordinary
        notBefore = reader.instant("not_before", &list)
        starts = reader.bool("start", &list) ?? true
        description = reader.downloadDescription(&list)
        labels = reader.clientObject(.labels, &list)
        metadata = reader.clientObject(.metadata, &list)
        dedupeKey = reader.dedupeKey(&list)
        acceptsUnverifiedLength = reader.bool("accept_unverified_length", &list) ?? false
        callbackURL = reader.url("callback_url", &list)
        webhookIDs = reader.webhookIDs(&list) ?? []
        try reader.close(&list)
    }
}

extension ObjectReader {
    mutating func maxAttempts(_ list: inout ViolationList) -> Int? {
        integer("max_attempts", in: 1...1000, &list).map { Int($0) }
    }

    mutating func priority(_ list: inout ViolationList) -> Priority? {
        integer("priority", in: -100...100, &list).flatMap { Priority(Int($0)) }
    }

    mutating func downloadDescription(_ list: inout ViolationList) -> String? {
        guard let text = string("description", &list) else { return nil }
        if text.unicodeScalars.count > 1024 {
            list.add(pointer.appending("description"), .tooLong, "A description has at most 1024 characters.")
        }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\n" }) {
            let detail = "A description has no control characters but line feeds."
            list.add(pointer.appending("description"), .malformed, detail)
        }
        return text
    }

    mutating func clientObject(_ kind: ClientObject, _ list: inout ViolationList) -> JSONText? {
        guard let value = present(kind.rawValue) else { return nil }
        let pointer = pointer.appending(kind.rawValue)
        guard case .object(let members) = value else {
            list.addWrongType(pointer, expected: "an object", found: value)
            return nil
        }
        return kind.text(of: members, at: pointer, &list)
    }

    fileprivate mutating func requestHeaders(_ list: inout ViolationList) -> [RequestCredentials.Header] {
        guard let value = present("request_headers") else { return [] }
        let fields = RequestHeaderRules.read(
            value,
            allowsNull: false,
            at: pointer.appending("request_headers"),
            &list
        )
        return (fields ?? []).compactMap { field in
            field.value.map { RequestCredentials.Header(name: field.name, value: $0) }
        }
    }
}

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
