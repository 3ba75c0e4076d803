import Core
import Service

/// The body of `POST /downloads`.
extension RequestedDownload {
    /// Reads a body. A member that is null counts as absent.
    init(parsing bytes: [UInt8]) throws(BodyError) {
        try self.init(JSONValue(body: bytes))
    }

    /// Reads a JSON value.
    ///
    /// - Parameter pointer: The position of the value in the request body.
    init(_ value: JSONValue, at pointer: JSONPointer = .root) throws(BodyError) {
        var list = ViolationList()
        var reader = try ObjectReader(body: value, at: pointer)
        reader.require("url", &list)
        let url = reader.givenURL("url", &list)
        // A body without a URL is read to the end, to report all its violations.
        var request = DownloadRequest(url: url?.url ?? .blank)
        var credentials = RequestCredentials(user: url?.user, password: url?.password)
        request.mirrors = reader.mirrors(&list) ?? []
        request.metalink = reader.word("metalink", &list) ?? .follow
        request.refreshURL = reader.url("refresh_url", of: .refreshURL, &list)
        request.root = reader.root(&list) ?? .downloads
        let directory = reader.directory(&list)
        request.filename = reader.filename(&list)
        request.onConflict = reader.word("on_conflict", &list) ?? .rename
        request.session = reader.session(&list)
        credentials.headers = reader.requestHeaders(&list)
        credentials.authentication = reader.authentication(&list)
        credentials.cookies = reader.cookies(&list)
        credentials.postBody = reader.post(&list)
        credentials.proxy = reader.proxy(&list)
        request.expected = reader.expected(&list)
        reader.limits(of: &request, &list)
        request.maxAttempts = reader.maxAttempts(&list)
        reader.timeouts(of: &request.retry, &list)
        reader.retry(of: &request.retry, &list)
        request.deadline = reader.instant("deadline_at", &list).map(Deadline.at) ?? .serviceDefault
        request.priority = reader.priority(&list) ?? .ordinary
        request.notBefore = reader.instant("not_before_at", &list)
        request.retention = reader.retention(&list)
        let starts = reader.bool("start", &list) ?? true
        request.description = reader.plainDescription(&list)
        request.labels = reader.clientObject(.labels, &list)
        request.metadata = reader.clientObject(.metadata, &list)
        request.dedupeKey = reader.dedupeKey(&list)
        request.preservesModificationTime = reader.bool("preserve_mtime", &list)
        request.acceptsHTML = reader.bool("accept_html", &list) ?? false
        request.acceptsUnverifiedLength = reader.bool("accept_unverified_length", &list) ?? false
        request.callbackURL = reader.url("callback_url", of: .receiver, &list)
        request.webhookIDs = reader.webhookIDs(&list) ?? []
        try reader.close(&list)
        self.init(request: request, directory: directory, credentials: credentials, starts: starts)
    }
}

extension ObjectReader {
    private static let maximumDescriptionLength = 1024

    mutating func maxAttempts(_ list: inout ViolationList) -> Int? {
        integer("max_attempts", in: 1...1000, &list).map { Int($0) }
    }

    mutating func priority(_ list: inout ViolationList) -> Priority? {
        integer("priority", in: -100...100, &list).flatMap { Priority(Int($0)) }
    }

    mutating func plainDescription(_ list: inout ViolationList) -> String? {
        guard let text = string("description", &list) else { return nil }
        if text.unicodeScalars.count > Self.maximumDescriptionLength {
            let detail = "Expected at most \(Self.maximumDescriptionLength) characters."
            list.add(pointer.appending("description"), .tooLong, detail)
        }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\n" }) {
            let detail = "Expected no control characters except line feeds."
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

/// The member `limits`: the limits on bytes, rate and connections of a download.
extension ObjectReader {
    /// Bytes per second. A lower rate cannot be applied evenly: origins close a connection that reads nothing for long.
    static let leastRate: Int64 = 1024

    fileprivate mutating func limits(of request: inout DownloadRequest, _ list: inout ViolationList) {
        guard var limits = object("limits", &list) else { return }
        request.maxBytes = limits.maxBytes(&list)
        request.rateBytesPerSecond = limits.rate(&list)
        request.connections = limits.connections(&list)
        limits.finish(&list)
    }

    /// An absent member keeps its value, null clears it.
    mutating func limits(of edit: inout DownloadEdit, _ list: inout ViolationList) {
        if value("limits") == .null {
            (edit.maxBytes, edit.rateBytesPerSecond, edit.connections) = (.clear, .clear, .clear)
            return
        }
        guard var limits = object("limits", &list) else { return }
        edit.maxBytes = limits.change("max_bytes") { $0.maxBytes(&list) }
        edit.rateBytesPerSecond = limits.change("rate_bytes_per_second") { $0.rate(&list) }
        edit.connections = limits.change("connections") { $0.connections(&list) }
        limits.finish(&list)
    }

    mutating func maxBytes(_ list: inout ViolationList) -> Int64? {
        integer("max_bytes", in: 1...JSONValue.maximumInteger, &list)
    }

    private mutating func connections(_ list: inout ViolationList) -> Int? {
        integer("connections", in: 1...32, &list).map { Int($0) }
    }

    mutating func rate(_ list: inout ViolationList) -> Int64? { rate("rate_bytes_per_second", &list) }

    mutating func rate(_ name: String, _ list: inout ViolationList) -> Int64? {
        integer(name, in: Self.leastRate...JSONValue.maximumInteger, &list)
    }
}
