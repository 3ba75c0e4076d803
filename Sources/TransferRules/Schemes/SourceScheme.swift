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
