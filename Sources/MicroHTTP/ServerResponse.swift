public import HTTPTypes

/// What a handler answers.
///
/// `Content-Length`, `Transfer-Encoding` and, unless given, `Date` are the server's to write. `Connection: close` ends
/// the connection after this answer. An answer to HEAD may carry its body: the fields are sent, the bytes are not.
public struct ServerResponse: Sendable {
    /// Where the content comes from.
    public enum Body: Sendable {
        case empty
        case bytes([UInt8])
        /// `length` bytes of a file from `offset`, handed to the socket by `sendfile(2)`. A file that proves shorter
        /// ends the connection, so that the client cannot take the part for the whole.
        case file(OpenFile, offset: Int64, length: Int64)
        /// What a source has, as soon as it has it. It is not asked for an answer to HEAD.
        case stream(ResponseStream)
    }

    public var status: HTTPResponse.Status
    public var headerFields: HTTPFields
    public var body: Body

    public init(status: HTTPResponse.Status, headerFields: HTTPFields = [:], body: Body = .empty) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }
}
