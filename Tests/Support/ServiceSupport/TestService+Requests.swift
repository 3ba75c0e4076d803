public import API
import Core
import Store
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
        get throws { try JSONValue(parsing: content) }
    }

    /// The slug of a problem's type.
    public var problem: String? {
        guard let type = try? json["type"]?.text else { return nil }
        return type.split(separator: "/").last.map(String.init)
    }
}
