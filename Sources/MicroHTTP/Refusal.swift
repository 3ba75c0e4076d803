public import HTTPTypes

/// A request that the server turns away itself, before any handler sees it.
public struct Refusal: Error, Hashable, Sendable {
    /// A stable word for the reason.
    public enum Code: String, CaseIterable, Sendable {
        /// The body's length is ambiguous (RFC 9112 section 6.3): a smuggled request may hide in it.
        case badFraming = "bad-framing"
        /// The request target is malformed, or means different things to different readers.
        case badTarget = "bad-target"
        /// `Host` is missing, repeated or malformed (RFC 9112 section 3.2).
        case badHost = "bad-host"
        /// A field's name or value has characters that RFC 9110 section 5 forbids, or a single field is repeated.
        case badField = "bad-field"
        /// The method is no token (RFC 9110 section 9.1).
        case badMethod = "bad-method"
        /// TRACE would reflect credentials (RFC 9110 section 9.3.8).
        case methodNotAllowed = "method-not-allowed"
        /// CONNECT: this is no proxy.
        case notImplemented = "not-implemented"
        case contentTooLarge = "content-too-large"
        case targetTooLong = "target-too-long"
        /// There is no room for the request now: every connection is taken, or the bodies of others fill the memory
        /// for them.
        case overloaded
        /// The server is stopping.
        case shuttingDown = "shutting-down"
    }

    public let code: Code
    /// One sentence for a person; it never repeats what the client sent.
    public let detail: String
    /// The most bytes that the body may have, where that is the reason.
    public let maxBodyBytes: Int?

    init(_ code: Code, _ detail: String, maxBodyBytes: Int? = nil) {
        self.code = code
        self.detail = detail
        self.maxBodyBytes = maxBodyBytes
    }

    /// The status that every rendering of this refusal is sent with.
    public var status: HTTPResponse.Status {
        switch code {
        case .badFraming, .badTarget, .badHost, .badField, .badMethod: .badRequest
        case .methodNotAllowed: .methodNotAllowed
        case .notImplemented: .notImplemented
        case .contentTooLarge: .contentTooLarge
        case .targetTooLong: .uriTooLong
        case .overloaded, .shuttingDown: .serviceUnavailable
        }
    }

    /// Renders a refusal as one line of plain text.
    public static func plainText(_ refusal: Refusal, _ head: ServerRequest.Head?) -> ServerResponse {
        var fields: HTTPFields = [.contentType: "text/plain; charset=utf-8"]
        if refusal.code == .methodNotAllowed { fields[.allow] = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" }
        if refusal.status == .serviceUnavailable { fields[.retryAfter] = "1" }
        return ServerResponse(
            status: refusal.status,
            headerFields: fields,
            body: .bytes(Array("\(refusal.detail)\n".utf8))
        )
    }
}
