import Core
import HTTPFields
import HTTPServer
import HTTPTypes

extension ServerResponse {
    static func json(_ status: HTTPResponse.Status, _ bytes: [UInt8], _ fields: HTTPFields = [:]) -> ServerResponse {
        var fields = fields
        fields[.contentType] = "application/json"
        return ServerResponse(status: status, headerFields: fields, body: .bytes(bytes))
    }

    static func text(_ text: String) -> ServerResponse {
        ServerResponse(
            status: .ok,
            headerFields: [.contentType: "text/plain; charset=utf-8"],
            body: .bytes(Array(text.utf8))
        )
    }

    /// The stored response, sent again byte for byte.
    static func replay(_ response: StoredResponse, _ fields: HTTPFields = [:]) -> ServerResponse {
        var fields = fields
        fields[.idempotencyReplayed] = "true"
        fields[.location] = response.location
        fields[.eTag] = response.etag
        return json(HTTPResponse.Status(code: response.status), response.body, fields)
    }
}

// Field names for which the library has no constant. Each is a valid token, so creating it cannot fail.
extension HTTPField.Name {
    static let acceptPatch = token("Accept-Patch")
    static let forwarded = token("Forwarded")
    static let idempotencyKey = token("Idempotency-Key")
    static let idempotencyReplayed = token("Idempotency-Replayed")
    static let lastEventID = token("Last-Event-ID")
    static let link = token("Link")
    static let prefer = token("Prefer")
    static let preferenceApplied = token("Preference-Applied")
    static let referrerPolicy = token("Referrer-Policy")
    static let reprDigest = token("Repr-Digest")
    static let requestID = token("X-Request-Id")
    static let secFetchSite = token("Sec-Fetch-Site")
    static let accelBuffering = token("X-Accel-Buffering")
    static let crossOriginResourcePolicy = token("Cross-Origin-Resource-Policy")

    private static func token(_ text: String) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { preconditionFailure("'\(text)' is no token") }
        return name
    }
}
