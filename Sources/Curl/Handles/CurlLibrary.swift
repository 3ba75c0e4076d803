import CLibcurl

/// libcurl as a whole.
public enum CurlLibrary {
    private static let isSetUp: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The versions of libcurl and of the libraries under it, as `curl_version()` words them.
    public static var versionText: String { String(cString: curl_version()) }

    /// Sets libcurl up, once for the process and before any other of its calls.
    static func setUp() {
        precondition(isSetUp, "curl_global_init() failed")
    }
}

/// Why a transfer failed.
public struct CurlError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The request's `judge` allowed none of the destination's addresses.
        case destinationRefused
        /// FTP's data connection would go where the request's `judge` does not allow it.
        case dataDestinationRefused
        /// The response's head went over its ``HeadLimits``.
        case headTooLarge
        /// The response's head is none, or one that libcurl and ``ResponseHead`` could read differently.
        case headMalformed
        /// The response's head did not come within the request's `headTimeout`.
        case headTimeout
        /// The sink answered ``SinkResult/stop``.
        case sinkStopped
        /// The task was cancelled, the exchange discarded or the loop shut down.
        case aborted
        /// On a connection that was there something lay unread, or another transfer was under way; ``TransferLoop``
        /// makes a new one.
        case connectionSpoilt
        /// A header field of the request cannot be sent: see ``HeaderField/isSendable``.
        case badHeader
        /// The key of an SSH server is not the one that is known, or none is known.
        case hostKeyRejected
        /// An FTP server sent more bytes than the file was said to have.
        case bodyTooLong
        /// Where an FTP server's file ends cannot be seen, and something hangs on it: whether the server began at the
        /// byte that it was asked for, or whether the length that it named in passing is the file's.
        case endNotSeen
        /// The process has no thread or descriptor for a loop: see ``TransferLoop/further(sharing:number:)``.
        case outOfResources
        /// libcurl's own `CURLcode` (https://curl.se/libcurl/c/libcurl-errors.html).
        case curl(Int32)
    }

    public let code: Code
    /// For a person. It may name a host or an address, and never a URL's query, user or password.
    public let message: String

    /// The status with which a proxy answered CONNECT, where that ended the transfer.
    public let proxyStatus: Int?
    /// Whether a SOCKS proxy refused the login, or asked for one.
    public let isProxyLoginRefused: Bool
    /// Whether the connection was ready for the request, so that nothing before it failed.
    public let hasSentRequest: Bool
    /// Whether it was a server of files that was asked: FTP, SFTP.
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
    /// Whether a stream of HTTP/2 was reset with ENHANCE_YOUR_CALM (RFC 9113, section 7), of which libcurl tells in
    /// words alone.
    public var isTooManyRequests: Bool { code == .curl(92) && message.contains("ENHANCE_YOUR_CALM") }
}

extension CurlError {
    /// Whether the two could not agree on a version of HTTP (RFC 7301, section 3.2), of which OpenSSL's words alone
    /// tell.
    public var isVersionRefused: Bool { code == .curl(35) && message.contains("no application protocol") }
}

extension CurlError {
    /// Whether the chunks of a body (RFC 9112, section 7.1) are none. libcurl calls that a failed read.
    public var isBadChunk: Bool { code == .curl(56) && message.hasSuffix("in chunked-encoding") }
}

extension CurlError.Code {
    /// The origin asks for a certificate and was shown none, or none that it accepts (`CURLE_SSL_CLIENTCERT`).
    public static let clientCertificateRefused = Self.curl(98)
    public static let couldNotResolveHost = Self.curl(6)
    /// The answer is not one of its protocol (`CURLE_WEIRD_SERVER_REPLY`).
    public static let weirdReply = Self.curl(8)
    /// The connection was closed before the first byte of a response.
    public static let gotNothing = Self.curl(52)
}

extension String {
    /// Only printable ASCII: an origin's bytes may have come into libcurl's words.
    var printable: String {
        String(unicodeScalars.map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" })
    }
}
