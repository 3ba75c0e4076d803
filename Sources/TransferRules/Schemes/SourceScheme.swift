public import Core

/// The rules of a transfer that differ between URL schemes. A scheme is one conformance, and one line in
/// ``URLScheme/rules``.
///
/// It is looked up once for each request, never for each piece of a body.
public protocol SourceScheme: Sendable {
    var abilities: SchemeAbilities { get }

    /// How far the server is trusted to begin at the requested byte.
    ///
    /// - Parameter hasDigest: Whether a digest of the whole file is known.
    func offsetTrust(hasDigest: Bool) -> ResumeOffsetTrust

    /// Plans the next request.
    ///
    /// - Parameter segments: The stored segments.
    func plan(resuming stored: StoredState, segments: [Segment], hasDigest: Bool) -> ResumePlan

    /// Validates a response before the first byte of its body is received.
    func validate(request: SentRequest, stored: StoredState, response: OriginResponse) -> ResponseDecision

    /// What a failed request says about the file; nil for nothing.
    func validate(request: SentRequest, failure: TransferFailure) -> ResponseDecision?

    /// The failure that ends the attempt.
    func finalFailure(_ failure: TransferFailure, hasBytes: Bool) -> TransferFailure
}

/// What a scheme supports.
public struct SchemeAbilities: Hashable, Sendable {
    /// Several ranges of a file can be fetched at once, in any order.
    public var segments = true
    /// Bytes of several sources can be combined.
    public var mirrors = true
    /// A response may lead to another URL.
    public var redirects = true
    /// Requests may have header fields, cookies, a body, and other credentials than a user and a password.
    public var headerFields = true
    /// Requests may go through a proxy.
    public var proxies = true
    /// The server confirms the end after the last byte. A body without this confirmation is not whole.
    public var confirmsEnd = false
    /// A file from several responses must be compared with the server's once more, because no condition guards a
    /// request.
    public var rechecksJoinedFile = false
    /// libcurl blocks its thread while it waits for some of the server's replies.
    public var blocksThread = false
    /// Only a key in the `known_hosts` file makes a server trusted.
    public var needsKnownHosts = false
    /// The time limit for connecting and logging in; nil for the default.
    public var connectTimeout: Duration?

    public init() {}
}

extension URLScheme {
    public var rules: any SourceScheme {
        switch self {
        case .http, .https: HTTPScheme()
        case .ftp: FTPScheme(isOverTLS: false)
        case .ftps: FTPScheme(isOverTLS: true)
        case .sftp: SFTPScheme()
        }
    }

    public var abilities: SchemeAbilities { rules.abilities }
}

extension DownloadURL {
    /// The rules of its scheme. The parser accepts no unknown scheme.
    public var rules: any SourceScheme { URLScheme(scheme)?.rules ?? HTTPScheme() }

    public var abilities: SchemeAbilities { rules.abilities }
}
