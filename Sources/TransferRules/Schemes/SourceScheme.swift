public import Core

/// The transfer rules that differ between URL schemes. To add a scheme, add a conformance and a case in
/// ``URLScheme/rules``.
///
/// The rules are called once for each request, never for each chunk of a body.
public protocol SourceScheme: Sendable {
    var abilities: SchemeAbilities { get }

    /// Whether the server can be trusted to begin at the requested byte.
    ///
    /// - Parameter hasDigest: Whether a digest of the whole file is known.
    func offsetTrust(hasDigest: Bool) -> ResumeOffsetTrust

    /// Plans the next request.
    ///
    /// - Parameter segments: The stored segments of the part file.
    func plan(resuming stored: StoredState, segments: [Segment], hasDigest: Bool) -> ResumePlan

    /// Validates a response before the first byte of its body is received.
    func validate(request: SentRequest, stored: StoredState, response: OriginResponse) -> ResponseDecision

    /// The conclusion about the file from a failed request; nil if there is none.
    func validate(request: SentRequest, failure: TransferFailure) -> ResponseDecision?

    /// Maps the failure that ends an attempt.
    func finalFailure(_ failure: TransferFailure, hasBytes: Bool) -> TransferFailure
}

/// The features that a scheme supports.
public struct SchemeAbilities: Hashable, Sendable {
    /// Several ranges of a file can be fetched at the same time and in any order.
    public var segments = true
    /// Bytes of several sources can be combined.
    public var mirrors = true
    /// A response may redirect to another URL.
    public var redirects = true
    /// Requests may have header fields, cookies, a body, and credentials other than a user name and password.
    public var headerFields = true
    /// Requests may go through a proxy.
    public var proxies = true
    /// The server confirms the end of the file after the last byte. A body without this confirmation is incomplete.
    public var confirmsEnd = false
    /// A file that was assembled from several responses must be compared with the server's once more, because requests
    /// have no conditions.
    public var rechecksJoinedFile = false
    /// libcurl blocks its thread while it waits for some replies of the server.
    public var blocksThread = false
    /// A server is trusted only if its key is in the `known_hosts` file.
    public var needsKnownHosts = false

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
    /// The rules of the URL's scheme. The parser accepts only known schemes.
    public var rules: any SourceScheme { URLScheme(scheme)?.rules ?? HTTPScheme() }

    public var abilities: SchemeAbilities { rules.abilities }
}
