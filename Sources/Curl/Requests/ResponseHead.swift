/// The status and header fields of a final response (RFC 9110, sections 6 and 15), without its body.
public struct ResponseHead: Hashable, Sendable {
    public enum Version: Hashable, Sendable {
        case http1_0
        case http1_1
        case http2
        case http3
        case other
    }

    public let status: Int
    public let version: Version
    /// In received order. Values have no surrounding white space, and are decoded as UTF-8 or, if invalid, as Latin-1;
    /// a `Location` that is not UTF-8 is percent-encoded.
    public let fields: [HeaderField]
    /// The remote address of the connection; nil if libcurl does not know it.
    public let remoteAddress: SocketAddress?
    /// The length that delimits the body; nil if there is none. A `Content-Length` above `Int64.max` is none, nor is
    /// one that chunks override.
    public let contentLength: Int64?
    /// The metadata of an FTP or SFTP file. Such a response has no fields, and its status is the server's last reply
    /// code, or 0 with SFTP (SSH_FX_OK).
    public let file: FileFacts?

    /// The metadata of a file, as stated by the server before the first byte.
    public struct FileFacts: Hashable, Sendable {
        /// The size of the whole file, from SIZE (FTP, RFC 3659, section 4) or stat (SFTP); nil if not stated.
        public let size: Int64?
        /// The modification time, in seconds since 1970, from MDTM (FTP, RFC 3659, section 3) or stat (SFTP); nil if
        /// not stated.
        public let modifiedSeconds: Int64?
        /// Whether the end of the body proves the end of the file. With ftps it does not if libcurl stops at a length
        /// from a reply other than SIZE's: TLS hides whether more bytes would follow.
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

    /// All values of the fields named `name`, ignoring case.
    public func values(of name: String) -> [String] {
        fields.lazy.filter { $0.isNamed(name) }.map(\.value)
    }

    /// The value of the field named `name`; nil if there is none, or if several differ. Some origins and proxies send a
    /// field twice with the same value, which leaves no doubt.
    public func single(_ name: String) -> String? {
        let values = values(of: name)
        guard let first = values.first, values.allSatisfy({ $0 == first }) else { return nil }
        return first
    }
}

extension UInt8 {
    /// `tchar` (RFC 9110, section 5.6.2). This target imports no other target of the project, so it has its own table.
    var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}

/// Parses the replies of an FTP server on the control connection (RFC 959, section 4.2).
struct FTPReplies {
    private(set) var byteCount = 0
    /// The last reply code, except for the reply to QUIT.
    private(set) var last: Int?
    /// The code of the reply that precedes the data; nil until it arrives.
    private(set) var opening: Int?
    /// The file size that libcurl knew when the data began.
    private(set) var reportedSize: Int64?
    /// The number of bytes in the text of that reply, for example "150 Opening data connection (1000 bytes)". It has no
    /// defined meaning, but if the size is unknown, libcurl stops reading at this number.
    private(set) var announcedSize: Int64?

    /// Handles a line from the server. libcurl ends a multi-line reply at the first line that begins with three digits
    /// and a space, even if the digits differ from the first line's. The same rule applies here.
    ///
    /// - Parameter size: The file size that libcurl knows at this line. When the data begin it is the size from SIZE;
    ///   later libcurl uses other numbers.
    mutating func receive(_ line: UnsafeRawBufferPointer, size: @autoclosure () -> Int64?) {
        byteCount += line.count
        guard let code = Self.number(of: line), code != 221 else { return }
        last = code
        guard code == 150 || code == 125 else { return }
        (opening, reportedSize) = (code, size())
        announcedSize = Self.announcedSize(String(decoding: line, as: UTF8.self))
    }

    /// - Returns: nil if the line does not end a reply.
    private static func number(of line: UnsafeRawBufferPointer) -> Int? {
        let digits = line.prefix(3)
        guard line.count > 3, line[3] == UInt8(ascii: " "),
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func announcedSize(_ text: String) -> Int64? {
        guard let unit = text.firstRange(of: " bytes"), let start = text[..<unit.lowerBound].lastIndex(of: "(") else {
            return nil
        }
        return Int64(text[text.index(after: start)..<unit.lowerBound])
    }
}
