/// Which schemes a URL and a redirect may have.
public struct SchemeRules: Hashable, Sendable {
    public var allowed: Set<URLScheme>
    /// A redirect may lead from an encrypted scheme to an open one.
    public var allowsDowngrade: Bool

    public init(allowed: Set<URLScheme> = [.http, .https], allowsDowngrade: Bool = false) {
        self.allowed = allowed
        self.allowsDowngrade = allowsDowngrade
    }

    /// The scheme of a URL when it may be asked for; throws `protocol_forbidden` otherwise.
    public func judge(_ scheme: String) throws(DownloadError) -> URLScheme {
        guard let known = URLScheme(scheme), allowed.contains(known) else {
            throw DownloadError(.protocolForbidden, message: "The URL's scheme is not allowed.")
        }
        return known
    }

    /// The scheme of a redirect's target when it may be followed; throws `protocol_forbidden`, or `redirect_forbidden`
    /// where the encryption would be lost.
    public func judge(redirectFrom source: URLScheme, to target: String) throws(DownloadError) -> URLScheme {
        let known = try judge(target)
        if source.isEncrypted, !known.isEncrypted, !allowsDowngrade {
            throw DownloadError(.redirectForbidden, message: "A redirect leads to an unencrypted address.")
        }
        return known
    }
}
