/// When another link is asked for in place of one that is refused.
public enum LinkRules {
    /// New links in a row without a new byte after which a download goes on, or fails, as if there were none to ask.
    public static let maximumInARow = 3
    /// The most bytes of a document that brings a link.
    public static let maximumBytes = 64 << 10

    /// Whether a failure may be the link's.
    ///
    /// Signed links that expired are answered 403 by most stores, 401 or 410 by some (RFC 9110, sections 15.5.2, 15.5.4
    /// and 15.5.11). A 404 speaks of the file, and a 407 of a proxy.
    ///
    /// - Parameter isSuspect: Whether something else than the file came, as a login page does.
    public static func concerns(_ error: DownloadError, isSuspect: Bool) -> Bool {
        if isSuspect { return true }
        return switch error.httpStatus {
        case 401, 403, 410: error.code == .authRequired || error.code == .httpClientError
        default: false
        }
    }

    /// What a status other than 200 of whoever is asked means; nil where it has no other link, so that what was refused
    /// stays refused.
    public static func failureClass(status: Int) -> FailureClass? {
        switch FailureClass(httpStatus: status) {
        case .transient(let limits): .transient(limits)
        default: (400...499).contains(status) ? nil : .transient(.tries(2))
        }
    }
}
