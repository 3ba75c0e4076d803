import Model
import Transfers

/// The credentials that a download has, as an edit finds them.
///
/// Those that were sealed with another key are not known but for their names. In place of their
/// values stands a mark that no client can give, so that an edit shows whether it leaves any of them.
struct KeptCredentials {
    let isSealed: Bool
    let readable: RequestCredentials

    /// U+0000 is refused in the values of clients.
    private static let mark = "\0"
    /// A client's body is not as long.
    private static let bodyMark = [UInt8](repeating: 0, count: DownloadDraft.maximumBodyBytes + 1)

    init(_ request: DownloadRequest, _ vault: CredentialVault) {
        isSealed = request.credentials != nil
        do {
            readable = try vault.credentials(of: request)
        } catch {
            readable = Self.unreadable(request.outline)
        }
    }

    /// Nobody names this one: the name is reserved (RFC 6761, section 6.4), and the port is nothing's.
    private static let proxyMark = ProxyChoice("http://unreadable.invalid:1")

    /// Whether `credentials` still have a value that nobody can read.
    func hasUnreadableValue(in credentials: RequestCredentials) -> Bool {
        credentials.headers.contains { $0.value == Self.mark } || credentials.cookies.contains { $0.value == Self.mark }
            || credentials.authentication == .bearer(token: Self.mark) || credentials.postBody == Self.bodyMark
            || (credentials.proxy != nil && credentials.proxy == Self.proxyMark)
    }

    private static func unreadable(_ outline: RequestOutline) -> RequestCredentials {
        RequestCredentials(
            headers: outline.headerNames.map { RequestCredentials.Header(name: $0, value: mark) },
            authentication: outline.scheme.map { _ in .bearer(token: mark) },
            cookies: outline.cookieNames.map { RequestCredentials.Cookie(name: $0, value: mark) },
            postBody: outline.postedBytes.map { _ in bodyMark },
            proxy: outline.proxy == nil ? nil : proxyMark
        )
    }
}
