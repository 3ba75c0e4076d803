import Crypto
import FoundationEssentials
public import Model

/// URLs whose secret parts are encrypted (``SealedURL``).
extension CredentialVault {
    /// Encrypts the secret part of a URL; one without such a part, or a sealed one, stays as it is.
    ///
    /// The nonce is derived from the secret (as a synthetic initialisation vector is, RFC 5297), so that equal URLs
    /// have equal sealed texts. An observer of the database learns which URLs are equal, and nothing else.
    public func seal(url text: String, hiding part: SealedURL.SecretPart = .query) -> String {
        guard let (shown, secret) = SealedURL.split(text, before: part) else { return text }
        let encrypted = sealDeterministically(Array(secret.utf8), context: Array(shown.utf8))
        return SealedURL.join(shown: shown, encrypted: Data(encrypted).base64EncodedString())
    }

    /// The URL that was sealed; an open one stays as it is.
    public func open(url text: String) throws(UnreadableCredentials) -> String {
        guard let (shown, encrypted) = SealedURL.parts(of: text) else { return text }
        guard let data = Data(base64Encoded: String(encrypted)),
            let secret = open(bytes: Array(data), context: Array(shown.utf8))
        else { throw UnreadableCredentials() }
        return shown + String(decoding: secret, as: UTF8.self)
    }

    public func seal(_ url: SourceURL, hiding part: SealedURL.SecretPart = .query) -> SourceURL {
        url.with(text: seal(url: url.text, hiding: part))
    }

    public func open(_ url: SourceURL) throws(UnreadableCredentials) -> SourceURL {
        url.with(text: try open(url: url.text))
    }

    /// What an attempt learned of its sources, with all URLs sealed.
    public func seal(_ source: Download.Source) -> Download.Source {
        var source = source
        source.finalURL = source.finalURL.map { seal(url: $0) }
        source.url = source.url.map { seal(url: $0) }
        source.mirrors = source.mirrors.map { seal(url: $0) }
        return source
    }

    /// A download as its attempt needs it: with all URLs open that are asked for the file.
    public func open(_ download: Download) throws(UnreadableCredentials) -> Download {
        var download = download
        var request = download.request
        request.url = try open(request.url)
        request.mirrors = try openAll(request.mirrors)
        download.request = request
        var source = download.source
        source.finalURL = try openOptional(source.finalURL)
        source.url = try openOptional(source.url)
        source.mirrors = try openAll(source.mirrors)
        download.source = source
        return download
    }

    private func openOptional(_ url: String?) throws(UnreadableCredentials) -> String? {
        guard let url else { return nil }
        return try open(url: url)
    }

    private func openAll(_ urls: [String]) throws(UnreadableCredentials) -> [String] {
        try urls.map { (url) throws(UnreadableCredentials) in try open(url: url) }
    }
}

extension SourceURL {
    fileprivate func with(text: String) -> Self {
        Self(text: text, scheme: scheme, host: host, port: port, path: path)
    }
}
