public import Linux

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

    /// What is known of the failure. It is boxed to save memory: each suspended call that can throw the error reserves
    /// space for it.
    private indirect enum Facts: Hashable, Sendable {
        case of(Values)
    }

    private struct Values: Hashable, Sendable {
        let code: Code
        let message: String
        var proxyStatus: Int?
        var isProxyLoginRefused = false
        var hasSentRequest = false
        var isOfFileServer = false
        var ftpReply: Int?
        var tlsFault: TLSFault?
        var isVersionRefused = false
        var isOverHTTP2 = false
        var readError: SystemError?
    }

    private var facts: Facts

    private var values: Values {
        get {
            switch facts {
            case .of(let values): values
            }
        }
        set { facts = .of(newValue) }
    }

    public init(_ code: Code, message: String = "") {
        facts = .of(Values(code: code, message: message))
    }

    public var code: Code { values.code }
    /// Text for a person. It may contain a host or an address, but no query, user or password.
    public var message: String { values.message }

    /// The status of a proxy's response to CONNECT, if it ended the transfer.
    public var proxyStatus: Int? {
        get { values.proxyStatus }
        set { values.proxyStatus = newValue }
    }

    /// Whether a SOCKS proxy refused the login or requires one.
    public var isProxyLoginRefused: Bool {
        get { values.isProxyLoginRefused }
        set { values.isProxyLoginRefused = newValue }
    }

    /// Whether the connection was established and ready for the request.
    public var hasSentRequest: Bool {
        get { values.hasSentRequest }
        set { values.hasSentRequest = newValue }
    }

    /// Whether the server is an FTP or SFTP server.
    public var isOfFileServer: Bool {
        get { values.isOfFileServer }
        set { values.isOfFileServer = newValue }
    }

    /// The last reply of an FTP server (RFC 959, section 4.2).
    public var ftpReply: Int? {
        get { values.ftpReply }
        set { values.ftpReply = newValue }
    }

    /// Why TLS failed; nil if it did not, or if OpenSSL does not say.
    public var tlsFault: TLSFault? {
        get { values.tlsFault }
        set { values.tlsFault = newValue }
    }

    /// Whether TLS agreed on no HTTP version (RFC 7301, section 3.2).
    public var isVersionRefused: Bool {
        get { values.isVersionRefused }
        set { values.isVersionRefused = newValue }
    }

    /// Whether the request was sent over HTTP/2.
    public var isOverHTTP2: Bool {
        get { values.isOverHTTP2 }
        set { values.isOverHTTP2 = newValue }
    }

    /// Why the file of an upload could not be read.
    public var readError: SystemError? {
        get { values.readError }
        set { values.readError = newValue }
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
