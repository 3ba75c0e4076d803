import Glibc
public import HTTPTypes

/// A refusal of a request by the server itself, before any handler.
public struct Refusal: Error, Hashable, Sendable {
    /// A stable identifier of the reason.
    public enum Code: String, CaseIterable, Sendable {
        /// The body's length is ambiguous (RFC 9112, section 6.3), which allows request smuggling.
        case badFraming = "bad-framing"
        /// The request target is malformed, or parsers could understand it differently.
        case badTarget = "bad-target"
        /// `Host` is missing, repeated or malformed (RFC 9112, section 3.2).
        case badHost = "bad-host"
        /// A field's name or value has characters that RFC 9110, section 5, forbids, or a field that must be single is
        /// repeated.
        case badField = "bad-field"
        /// The method is not a token (RFC 9110, section 9.1).
        case badMethod = "bad-method"
        /// TRACE could reveal credentials (RFC 9110, section 9.3.8).
        case methodNotAllowed = "method-not-allowed"
        /// CONNECT is for proxies, and this server is not a proxy.
        case notImplemented = "not-implemented"
        case contentTooLarge = "content-too-large"
        case targetTooLong = "target-too-long"
        /// The server lacks resources: every connection is in use, or the memory for bodies is full.
        case overloaded
        /// The server is shutting down.
        case shuttingDown = "shutting-down"
    }

    public let code: Code
    /// One sentence. It never contains text from the request.
    public let detail: String
    /// The maximum size of a body in bytes, if the body exceeds it.
    public let maxBodyBytes: Int?

    init(_ code: Code, _ detail: String, maxBodyBytes: Int? = nil) {
        self.code = code
        self.detail = detail
        self.maxBodyBytes = maxBodyBytes
    }

    /// The status of the response, however the refusal is rendered.
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

/// A response that is sent before the request's body has ended.
///
/// libmicrohttpd accepts no response between the head and the end of the body, and a body above the limit may never
/// end. Nothing else was sent for this request, so the response is written directly to the socket, and the connection
/// is then closed.
struct EarlyResponse {
    let bytes: [UInt8]

    /// - Parameter response: The content of a file or stream is not sent.
    init(_ response: ServerResponse) {
        let content: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
        var head = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
        head += "Date: \(Self.date())\r\nConnection: close\r\nContent-Length: \(content.count)\r\n"
        for field in response.headerFields where !Self.isWritten(field.name) {
            head += "\(field.name.rawName): \(field.value)\r\n"
        }
        bytes = Array((head + "\r\n").utf8) + content
    }

    /// Writes as much as the socket accepts without blocking. The send buffer is empty and large enough for any
    /// refusal.
    func send(to descriptor: Int32) {
        _ = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
    }

    private static func isWritten(_ name: HTTPField.Name) -> Bool {
        ServerResponse.isFraming(name) || name == .connection || name == .date
    }

    /// The current time as an IMF-fixdate (RFC 9110, section 5.6.7). `strftime` uses the C locale, because the process
    /// does not change it.
    private static func date() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            let count = strftime(start, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }
}
