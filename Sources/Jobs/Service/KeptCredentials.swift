import Model
import Transfers

/// The credentials that a download has, as an edit finds them.
///
/// Those that were sealed with another key are not known but for the names of the header fields. In place of their
/// values stands a mark that no client can give, so that an edit shows whether it leaves any of them.
struct KeptCredentials {
    let isSealed: Bool
    let readable: RequestCredentials

    /// U+0000 is refused in the values of clients.
    private static let mark = "\0"

    init(_ request: DownloadRequest, _ vault: CredentialVault) {
        isSealed = request.credentials != nil
        do {
            readable = try vault.credentials(of: request)
        } catch {
            let headers = request.headerNames.map { RequestCredentials.Header(name: $0, value: Self.mark) }
            readable = RequestCredentials(headers: headers)
        }
    }

    /// Whether `credentials` still have a value that nobody can read.
    func hasUnreadableValue(in credentials: RequestCredentials) -> Bool {
        credentials.headers.contains { $0.value == Self.mark }
    }
}
