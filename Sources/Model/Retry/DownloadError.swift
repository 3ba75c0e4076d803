/// Why an attempt at a download failed.
///
/// `code` is a contract: it is stored, sent in webhooks and shown by the API. `message` may change at any time.
public struct DownloadError: Error, Hashable, Sendable {
    public let code: Code
    /// For a person. It carries no secret, so no query and no user info of a URL.
    public let message: String
    /// The status of the response that failed, if there was one.
    public let httpStatus: Int?
    /// libcurl's `CURLcode`, where the transport failed.
    public let transportCode: Int?

    public init(_ code: Code, message: String, httpStatus: Int? = nil, transportCode: Int? = nil) {
        self.code = code
        self.message = message
        self.httpStatus = httpStatus
        self.transportCode = transportCode
    }
}
