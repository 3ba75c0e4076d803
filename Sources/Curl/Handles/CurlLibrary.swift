import CLibcurl

/// libcurl as a whole.
public enum CurlLibrary {
    private static let isSetUp: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The versions of libcurl and its libraries, in the words of `curl_version()`.
    public static var versionText: String { String(cString: curl_version()) }

    /// Initialises libcurl, once for the process and before any other call.
    static func setUp() {
        precondition(isSetUp, "curl_global_init() failed")
    }
}

/// Why a transfer failed.
public struct CurlError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The request's check allowed none of the destination's addresses.
        case destinationRefused
        /// The request's check does not allow the address of FTP's data connection.
        case dataDestinationRefused
        /// The response's head went over its ``HeadLimits``.
        case headTooLarge
        /// The response's head is invalid, or libcurl and ``ResponseHead`` could parse it differently.
        case headMalformed
        /// The response's head did not come within the request's `headTimeout`.
        case headTimeout
        /// The sink returned ``SinkResult/stop``.
        case sinkStopped
        /// The task was cancelled, the exchange discarded or the loop shut down.
        case aborted
        /// A reused connection had unread bytes, or another transfer; ``TransferLoop`` opens a new one.
        case connectionSpoilt
        /// A header field of the request cannot be sent: see ``HeaderField/isSendable``.
        case badHeader
        /// The key of an SSH server is not in the file of known hosts, or there is no file.
        case hostKeyRejected
        /// An FTP server sent more bytes than the stated size of the file.
        case bodyTooLong
        /// The end of an FTP server's file is not visible, and matters: whether the server began at the requested byte,
        /// or whether a length in a reply is the file's.
        case endNotSeen
        /// The process has no thread or descriptor for a loop: see ``TransferLoop/further(sharing:number:)``.
        case outOfResources
        /// libcurl's own `CURLcode` (https://curl.se/libcurl/c/libcurl-errors.html).
        case curl(Int32)
    }

    public let code: Code
    /// For people. It may name a host or an address, never a URL's query, user or password.
    public let message: String

    /// The status with which a proxy answered CONNECT, where that ended the transfer.
    public let proxyStatus: Int?
    /// Whether a SOCKS proxy refused the login, or requires one.
    public let isProxyLoginRefused: Bool
    /// Whether the connection was ready for the request.
    public let hasSentRequest: Bool
    /// Whether the server is an FTP or SFTP server.
    public let isOfFileServer: Bool
    /// The last reply of an FTP server (RFC 959, section 4.2).
    public let ftpReply: Int?

    public init(
        _ code: Code,
        message: String = "",
        proxyStatus: Int? = nil,
        isProxyLoginRefused: Bool = false,
        hasSentRequest: Bool = false,
        isOfFileServer: Bool = false,
        ftpReply: Int? = nil
    ) {
        self.code = code
        self.proxyStatus = proxyStatus
        self.isProxyLoginRefused = isProxyLoginRefused
        self.hasSentRequest = hasSentRequest
        self.isOfFileServer = isOfFileServer
        self.ftpReply = ftpReply
        self.message = message
    }

    public var description: String { message.isEmpty ? "\(code)" : "\(code): \(message)" }
}

extension CurlError {
    /// Whether a stream of HTTP/2 was reset with ENHANCE_YOUR_CALM (RFC 9113, section 7), which libcurl reports only as
    /// text.
    public var isTooManyRequests: Bool { code == .curl(92) && message.contains("ENHANCE_YOUR_CALM") }
}

extension CurlError {
    /// Whether TLS agreed on no version of HTTP (RFC 7301, section 3.2), which OpenSSL reports only as text.
    public var isVersionRefused: Bool { code == .curl(35) && message.contains("no application protocol") }
}

extension CurlError {
    /// Whether a body's chunks are invalid (RFC 9112, section 7.1). libcurl calls that a failed read.
    public var isBadChunk: Bool { code == .curl(56) && message.hasSuffix("in chunked-encoding") }
}

extension CurlError.Code {
    /// The origin requires a client certificate and got none that it accepts (`CURLE_SSL_CLIENTCERT`).
    public static let clientCertificateRefused = Self.curl(98)
    public static let couldNotResolveHost = Self.curl(6)
    /// The response is not of its protocol (`CURLE_WEIRD_SERVER_REPLY`).
    public static let weirdReply = Self.curl(8)
    /// The connection was closed before the first byte of a response.
    public static let gotNothing = Self.curl(52)
}

extension String {
    /// Only printable ASCII: libcurl's text may have an origin's bytes.
    var printable: String {
        String(unicodeScalars.map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" })
    }
}
