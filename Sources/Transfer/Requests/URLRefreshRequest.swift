public import Core
import Curl
import HTTPFields
import TransferRules

/// A request to `refresh_url`, ready to be sent.
public struct URLRefreshRequest: Sendable {
    /// The `refresh_url`.
    public var url: DownloadURL
    /// The JSON body.
    public var body: [UInt8]
    /// The header fields that sign the request.
    public var signature: [(name: String, value: String)]
    /// The reason of the request, for the request log.
    public var reason: DownloadError.Code

    public init(
        url: DownloadURL,
        body: [UInt8],
        signature: [(name: String, value: String)],
        reason: DownloadError.Code
    ) {
        self.url = url
        self.body = body
        self.signature = signature
        self.reason = reason
    }
}
