public import Core
public import Curl

/// The only place that parses a ``DownloadURL``. It uses libcurl's parser, which also parses the URL for the
/// connection, so the rules validate exactly the URL that is requested.
extension GivenURL {
    /// Parses an absolute URL.
    ///
    /// - Throws: ``InvalidURL``.
    public init(parsing text: String, schemes: Set<URLScheme> = URLScheme.web) throws(InvalidURL) {
        do {
            self.init(try ParsedURL(text, schemes: Set(schemes.map { ParsedURL.Scheme($0) })))
        } catch {
            throw InvalidURL(error)
        }
    }

    /// Resolves a URL reference, for example a `Location` value (RFC 3986, section 5).
    ///
    /// - Throws: ``InvalidURL``.
    public init(parsing reference: String, relativeTo base: DownloadURL) throws(InvalidURL) {
        guard let base = ParsedURL(base) else { throw InvalidURL(.malformed) }
        do {
            self.init(try base.resolving(reference))
        } catch {
            throw InvalidURL(error)
        }
    }

    private init(_ parsed: ParsedURL) {
        let url = DownloadURL(
            text: parsed.text,
            scheme: parsed.scheme.rawValue,
            host: parsed.host,
            port: parsed.port,
            path: parsed.path
        )
        self.init(url: url, user: parsed.user, password: parsed.password)
    }
}

/// The text is not a URL with an expected scheme.
public struct InvalidURL: Error, Hashable, Sendable {
    /// The reason, as text for a person.
    public let detail: String
    /// Whether the text is a URL with another scheme.
    public let hasOtherScheme: Bool
    public let isTooLong: Bool

    init(_ error: URLParseError) {
        detail = error.description
        if case .unsupportedScheme = error { hasOtherScheme = true } else { hasOtherScheme = false }
        isTooLong = error == .tooLong
    }
}

extension TransferRequest {
    /// A request to a parsed URL; nil if its parts are missing (``DownloadURL/isComplete``).
    public init?(to url: DownloadURL) {
        guard let url = ParsedURL(url) else { return nil }
        self.init(url: url)
    }
}

extension ParsedURL {
    fileprivate init?(_ url: DownloadURL) {
        guard url.isComplete, let scheme = Scheme(rawValue: url.scheme) else { return nil }
        self.init(scheme: scheme, host: url.host, port: url.port, path: url.path, text: url.text)
    }
}

extension URLScheme {
    init(_ scheme: ParsedURL.Scheme) {
        switch scheme {
        case .http: self = .http
        case .https: self = .https
        case .ftp: self = .ftp
        case .ftps: self = .ftps
        case .sftp: self = .sftp
        }
    }
}

extension ParsedURL.Scheme {
    fileprivate init(_ scheme: URLScheme) {
        switch scheme {
        case .http: self = .http
        case .https: self = .https
        case .ftp: self = .ftp
        case .ftps: self = .ftps
        case .sftp: self = .sftp
        }
    }
}
