public import Core

/// What downloads from the URLs of one scheme do in their own way. A scheme is one conformance of this protocol, and
/// one line in ``URLScheme/rules``.
///
/// It is looked up once for each request, never for each piece of a body.
public protocol SourceScheme: Sendable {
    var abilities: SchemeAbilities { get }

    /// How far the server is trusted to send from the byte that it was asked for.
    ///
    /// - Parameter hasDigest: Whether a digest of the whole file is known.
    func offsetTrust(hasDigest: Bool) -> ResumeOffsetTrust

    /// Plans the next request.
    ///
    /// - Parameter segments: What is stored.
    func plan(resuming stored: StoredState, segments: [Segment], hasDigest: Bool) -> ResumePlan

    /// Validates a response before the first byte of its body is taken.
    func validate(request: SentRequest, stored: StoredState, response: OriginResponse) -> ResponseDecision

    /// What a failed request says of the file; nil where it says nothing.
    func validate(request: SentRequest, failure: TransferFailure) -> ResponseDecision?

    /// The failure as it ends the attempt.
    func finalFailure(_ failure: TransferFailure, hasBytes: Bool) -> TransferFailure
}

/// What requests to the servers of a scheme may hold, and what their responses show.
public struct SchemeAbilities: Hashable, Sendable {
    /// Several ranges of a file may be fetched at once, and in any order.
    public var segments = true
    /// Bytes of other sources may be added to those of the first.
    public var mirrors = true
    /// A response may lead to another URL.
    public var redirects = true
    /// Requests may have header fields, cookies, a body, and other credentials than a user and a password.
    public var headerFields = true
    /// Requests may go through a proxy.
    public var proxies = true
    /// The server says after the last byte that it was the last, and a body without that word is not whole.
    public var confirmsEnd = false
    /// A file that was put together of several responses has to be compared with the server's once more: no condition
    /// guards a request.
    public var rechecksJoinedFile = false
    /// libcurl blocks its thread while it waits for some of the server's replies.
    public var blocksThread = false
    /// A server is trusted by its key in the `known_hosts` file alone.
    public var needsKnownHosts = false
    /// The time for connecting and logging in; nil for the usual.
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

extension SourceURL {
    /// The rules of its scheme. The parser lets no URL of an unknown scheme through.
    public var rules: any SourceScheme { URLScheme(scheme)?.rules ?? HTTPScheme() }

    public var abilities: SchemeAbilities { rules.abilities }
}
