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
        var reader = try ObjectReader(body: value, at: pointer)
        reader.require("url")
        let url = reader.givenURL("url")
        // A body without a URL is read to the end, to report all its violations.
        var request = DownloadRequest(url: url?.url ?? .blank)
        for member in RequestMember.all { member.read(from: &reader, to: &request) }
        request.expected = reader.expected()
        request.retention = reader.retention()
        request.labels = reader.clientObject(.labels)
        request.metadata = reader.clientObject(.metadata)
        let directory = reader.read("directory", .directory)
        let credentials = reader.credentials(user: url?.user, password: url?.password)
        let starts = reader.bool("start") ?? true
        try reader.close()
        self.init(request: request, directory: directory, credentials: credentials, starts: starts)
    }
}

extension ObjectReader {
    fileprivate mutating func credentials(user: String?, password: String?) -> RequestCredentials {
        var credentials = RequestCredentials(user: user, password: password)
        credentials.headers = requestHeaders()
        credentials.authentication = authentication()
        credentials.cookies = cookies()
        credentials.postBody = post()
        credentials.proxy = proxy()
        return credentials
    }

    private mutating func requestHeaders() -> [RequestCredentials.Header] {
        let fields = present("request_headers").flatMap { RequestHeaderRules.read($0, allowsNull: false) }
        return (fields ?? []).compactMap { field in
            field.value.map { RequestCredentials.Header(name: field.name, value: $0) }
        }
    }
}
