import Curl
import Model
import Transfers

extension TransferRequest {
    /// A request to an endpoint. A redirect is an answer like any other.
    ///
    /// - Parameters:
    ///   - policy: Where it may go; nil for anywhere.
    ///   - timeout: From the request to the end of the answer.
    init(toWebhook url: ParsedURL, policy: DestinationPolicy?, timeout: Duration, certificateAuthorityFile: String?) {
        self.init(url: url)
        connectTimeout = min(.seconds(5), timeout)
        headTimeout = timeout
        totalTimeout = timeout
        self.certificateAuthorityFile = certificateAuthorityFile
        receiveBufferBytes = 16 << 10
        gatherBytes = 16 << 10
        if let policy, let scheme = URLScheme(url.scheme.rawValue) {
            judge = { policy.allows($0, scheme: scheme) }
        }
    }
}
