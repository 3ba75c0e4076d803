/// The final status and header fields of a response (RFC 9110, sections 6 and 15), with no byte of its body.
public struct ResponseHead: Hashable, Sendable {
    public enum Version: Hashable, Sendable {
        case http1_0
        case http1_1
        case http2
        case other
    }

    public let status: Int
    public let version: Version
    /// In the order they came; values without surrounding white space, as UTF-8 or else Latin-1.
    public let fields: [HeaderField]
    /// Whom the connection leads to; nil if libcurl could not tell.
    public let remoteAddress: SocketAddress?
    /// The length by which libcurl delimits the body; nil if it knows none, also when a
    /// `Content-Length` was there but chunks decide, or it overflowed.
    public let contentLength: Int64?

    public init(
        status: Int,
        version: Version,
        fields: [HeaderField],
        remoteAddress: SocketAddress? = nil,
        contentLength: Int64? = nil
    ) {
        self.status = status
        self.version = version
        self.fields = fields
        self.remoteAddress = remoteAddress
        self.contentLength = contentLength
    }

    /// Every value of the fields called `name`, whatever its case.
    public func values(of name: String) -> [String] {
        fields.lazy.filter { $0.isNamed(name) }.map(\.value)
    }

    /// The value of the field called `name`; nil when there is none, or more than one.
    public func single(_ name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 ? values[0] : nil
    }
}
