public import HTTPTypes

/// A whole request, judged and read to its end.
public struct ServerRequest: Sendable {
    /// What precedes the body.
    public struct Head: Sendable {
        public let method: HTTPRequest.Method
        /// The request target as it came, still percent-encoded.
        public let target: String
        /// The part of the target up to `?`, still percent-encoded and free of dot segments; `*` for `OPTIONS *`.
        public let path: String
        /// The part of the target after `?`, still percent-encoded; `nil` without one.
        public let query: String?
        /// The value of `Host`. An HTTP/1.0 request may have none.
        public let authority: String?
        /// The host of ``authority`` in lower case, an IPv6 address without its brackets.
        public let host: String?
        /// The version of the request is HTTP/1.0.
        public let isHTTP10: Bool
        public let headerFields: HTTPFields
        /// The peer's address without its port: the last proxy's, where there is one.
        public let remoteAddress: String
    }

    public let head: Head
    /// The body without its transfer coding; empty when there was none.
    public let body: [UInt8]

    public var method: HTTPRequest.Method { head.method }
    public var target: String { head.target }
    public var path: String { head.path }
    public var query: String? { head.query }
    public var authority: String? { head.authority }
    public var headerFields: HTTPFields { head.headerFields }
    public var remoteAddress: String { head.remoteAddress }
}
