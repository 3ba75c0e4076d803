import CLibcurl
public import Linux

/// The global state of libcurl.
public enum CurlLibrary {
    private static let isSetUp: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The versions of libcurl and its libraries, as returned by `curl_version()`.
    public static var versionText: String { String(cString: curl_version()) }

    /// The version of the loaded libcurl, such as `7.88.1`.
    public static var number: String { String(cString: curl_version_info(CURLVERSION_ELEVENTH).pointee.version) }

    /// Whether libcurl was built with libidn2, which converts internationalized host names.
    static let hasIDNA = curl_version_info(CURLVERSION_ELEVENTH).pointee.features & CURL_VERSION_IDN != 0

    /// Whether libcurl was built with HTTP/3.
    public static let hasHTTP3 = curl_version_info(CURLVERSION_ELEVENTH).pointee.features & CURL_VERSION_HTTP3 != 0

    /// Initialises libcurl, once per process. Must be called before any other libcurl function.
    static func setUp() {
        precondition(isSetUp, "curl_global_init() failed")
    }
}

/// Why a transfer failed.
public struct CurlError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The address check of the request refused every address of the destination.
        case destinationRefused
        /// The address check of the request refused the address of an FTP data connection.
        case dataDestinationRefused
        /// The response's head exceeded its ``HeadLimits``.
        case headTooLarge
        /// The response's head is invalid, or libcurl and ``ResponseHead`` could parse it differently.
        case headMalformed
        /// The response has a transfer coding other than `chunked`, which was not requested.
        case transferCodingRefused
        /// A `Content-Length` is no number, or several differ.
        case lengthMalformed
        /// The chunks of the body are invalid (RFC 9112, section 7.1).
        case chunkMalformed
        /// The response has a `Content-Length` of 0 beside chunks, and libcurl ended the body at the head.
        /// ``TransferLoop`` then repeats a GET without use of that field.
        case lengthBesideChunks
        /// The response's head did not arrive within the request's `headTimeout`.
        case headTimeout
        /// The sink returned ``SinkResult/stop``.
        case sinkStopped
        /// The task was cancelled, the exchange discarded or the loop shut down.
        case aborted
        /// A reused connection had unread bytes or another transfer. ``TransferLoop`` then opens a new one.
        case connectionSpoilt
        /// A header field of the request cannot be sent: see ``HeaderField/isSendable``.
        case badHeader
        /// The key of an SSH server is not in the `known_hosts` file, or there is no such file.
        case hostKeyRejected
        /// An FTP server sent more bytes than the stated size of the file.
        case bodyTooLong
        /// The end of an FTP file cannot be determined. It is needed to prove that the server began at the requested
        /// byte, or that a length in a reply is that of the file.
        case endNotSeen
        /// The file of an upload ended before the range. The server has received fewer bytes than were announced, and
        /// the connection is closed.
        case uploadTruncated
        /// A byte of an upload could not be read: see ``CurlError/readError``.
        case uploadUnreadable
        /// The server reported success (2xx) before it had received the whole body of an upload.
        case uploadIncomplete
        /// The process has no free thread or descriptor for a loop: see ``TransferLoop/further(sharing:number:)``.
        case outOfResources
        /// A `CURLcode` of libcurl (https://curl.se/libcurl/c/libcurl-errors.html).
        case curl(Int32)
    }

    public let code: Code
    /// Text for a person. It may contain a host or an address, but no query, user or password.
    public let message: String

    /// The status of a proxy's response to CONNECT, if it ended the transfer.
    public var proxyStatus: Int?
    /// Whether a SOCKS proxy refused the login or requires one.
    public var isProxyLoginRefused = false
    /// Whether the connection was established and ready for the request.
    public var hasSentRequest = false
    /// Whether the server is an FTP or SFTP server.
    public var isOfFileServer = false
    /// The last reply of an FTP server (RFC 959, section 4.2).
    public var ftpReply: Int?
    /// Why TLS failed; nil if it did not, or if OpenSSL does not say.
    public var tlsFault: TLSFault?
    /// Whether TLS agreed on no HTTP version (RFC 7301, section 3.2).
    public var isVersionRefused = false
    /// Whether the request was sent over HTTP/2.
    public var isOverHTTP2 = false
    /// Why the file of an upload could not be read.
    public var readError: SystemError?

    public init(_ code: Code, message: String = "") {
        self.code = code
        self.message = message
    }

    public var description: String { message.isEmpty ? "\(code)" : "\(code): \(message)" }
}

extension CurlError {
    /// Whether an HTTP/2 stream was reset with `ENHANCE_YOUR_CALM` (RFC 9113, section 7). libcurl reports this only as
    /// text.
    public var isTooManyRequests: Bool { code == .curl(92) && message.contains("ENHANCE_YOUR_CALM") }
}

extension CurlError.Code {
    /// The origin requires a client certificate, and got none or refused it (`CURLE_SSL_CLIENTCERT`).
    public static let clientCertificateRefused = Self.curl(98)
    public static let couldNotResolveHost = Self.curl(6)
    /// The response violates its protocol (`CURLE_WEIRD_SERVER_REPLY`).
    public static let weirdReply = Self.curl(8)
    /// The connection was closed before the head of a response was complete.
    public static let gotNothing = Self.curl(52)
    /// The body ended early (`CURLE_PARTIAL_FILE`).
    public static let partialBody = Self.curl(18)
}

extension String {
    /// The text with only printable ASCII, because libcurl's text may contain bytes from an origin.
    var printable: String {
        String(unicodeScalars.map { (0x20..<0x7F).contains($0.value) ? Character($0) : "?" })
    }
}
