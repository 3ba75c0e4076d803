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
    /// Of FTP and SFTP, whose status is the server's last reply, or 0 (SFTP's SSH_FX_OK), and which have no fields.
    public let file: FileFacts?

    /// What a server says of a file before its first byte.
    public struct FileFacts: Hashable, Sendable {
        /// The size of the whole file, by FTP's SIZE (RFC 3659, section 4) or SFTP's stat; nil where it says none.
        public let size: Int64?
        /// When it last changed, in seconds since 1970, by MDTM (RFC 3659, section 3) or stat; nil where it says none.
        public let modifiedSeconds: Int64?
        /// Whether the end of the body is that of the file: false over ftps where libcurl stops after as many bytes as
        /// a reply names that is not SIZE's, and nothing shows whether more would come.
        public let isEndSeen: Bool

        public init(size: Int64?, modifiedSeconds: Int64?, isEndSeen: Bool = true) {
            self.size = size
            self.modifiedSeconds = modifiedSeconds
            self.isEndSeen = isEndSeen
        }
    }

    public init(
        status: Int,
        version: Version,
        fields: [HeaderField],
        remoteAddress: SocketAddress? = nil,
        contentLength: Int64? = nil,
        file: FileFacts? = nil
    ) {
        self.status = status
        self.version = version
        self.fields = fields
        self.remoteAddress = remoteAddress
        self.contentLength = contentLength
        self.file = file
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
