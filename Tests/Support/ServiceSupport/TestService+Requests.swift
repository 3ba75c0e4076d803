public import API
public import Core
public import Store
public import TestSupport

extension TestService {
    /// Sends a request, with a JSON body if one is given, unless `fields` name another type. A POST says that it is one
    /// of JSON even without a body.
    public func send(
        _ method: String,
        _ target: String,
        _ body: String? = nil,
        fields: [(String, String)] = []
    ) async throws -> ReceivedResponse {
        var fields = fields
        if body != nil || method == "POST", !fields.contains(where: { $0.0.lowercased() == "content-type" }) {
            fields.append(("Content-Type", "application/json"))
        }
        if let token = options.token, !fields.contains(where: { $0.0.lowercased() == "authorization" }) {
            fields.append(("Authorization", "Bearer \(token)"))
        }
        return try await client.send(method, target, fields: fields, body: body.map { Array($0.utf8) })
    }

    /// Makes a download, and returns its id.
    ///
    /// - Parameter members: Further members of the request, each with a comma before it.
    @discardableResult
    public func add(_ url: String, _ members: String = "") async throws -> String {
        let response = try await send("POST", "/downloads", #"{"url":"\#(url)"\#(members)}"#)
        guard response.status == 201, let id = try response.json["id"]?.text else {
            throw HTTPClient.Failure(text: response.text)
        }
        return id
    }

    /// Opens a stream of events.
    public func listen(
        _ target: String,
        fields: [(String, String)] = [],
        isSlow: Bool = false
    ) async throws -> EventReader {
        let token = options.token.map { [("Authorization", "Bearer \($0)")] } ?? []
        return try await EventReader(port: client.port, target, fields: token + fields, isSlow: isSlow)
    }

    public func show(_ id: String) async throws -> JSONValue {
        try await send("GET", "/downloads/\(id)").json
    }

    @discardableResult
    public func act(_ action: String, on id: String) async throws -> ReceivedResponse {
        try await send("PATCH", "/downloads/\(id)", #"{"action":"\#(action)"}"#)
    }
}

extension ReceivedResponse {
    public var json: JSONValue {
        get throws { try JSONValue(parsing: body) }
    }

    /// The slug of a problem's type.
    public var problem: String? {
        guard let type = try? json["type"]?.text else { return nil }
        return type.split(separator: "/").last.map(String.init)
    }
}

extension TestService {
    /// What was waited for did not come.
    public struct NotReached: Error {
        public let reason: String

        public init(reason: String) {
            self.reason = reason
        }
    }

    /// Looks at each change of the store until there is a value.
    @discardableResult
    public func wait<Value>(for interest: Notice, _ look: () async throws -> Value?) async throws -> Value {
        let changes = store.notices.stream(of: interest)
        if let value = try await look() { return value }
        for await _ in changes {
            if let value = try await look() { return value }
        }
        throw NotReached(reason: "the test's time is over")
    }

    /// A download as it is recorded.
    public func record(_ id: String) async throws -> Download {
        guard let id = DownloadID(id), let download = try await store.download(id) else {
            throw NotReached(reason: "there is no download \(id)")
        }
        return download
    }

    /// Waits until a download stands in one of `states`.
    @discardableResult
    public func wait(_ id: String, _ states: DownloadState...) async throws -> Download {
        try await wait(for: [.events, .downloads]) {
            let download = try await record(id)
            return states.contains(download.state) ? download : nil
        }
    }

    /// Looks again and again until there is a value, for what nothing announces.
    @discardableResult
    public func poll<Value>(_ look: () async throws -> Value?) async throws -> Value {
        try await advanceClock(by: .zero, until: look)
    }

    /// Turns the clock on, step by step, until there is a value.
    @discardableResult
    public func advanceClock<Value>(by step: Duration, until look: () async throws -> Value?) async throws -> Value {
        try await eventualValue {
            if let value = try await look() { return value }
            if step > .zero { time.advance(by: step) }
            return nil
        }
    }

    /// Turns the clock until a download stands in one of `states`.
    @discardableResult
    public func advanceClock(by step: Duration, until id: String, _ states: DownloadState...) async throws -> Download {
        try await advanceClock(by: step) {
            let download = try await record(id)
            return states.contains(download.state) ? download : nil
        }
    }

    /// Waits until a running download has `count` bytes, durable or not.
    public func wait(_ id: String, receives count: Int64) async throws {
        try await poll { try await show(id)["progress"]?["received_bytes"]?.integer == count ? () : nil }
    }
}
