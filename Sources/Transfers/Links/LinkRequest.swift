public import Model

/// A question for another link, ready to be sent.
public struct LinkRequest: Sendable {
    /// Who is asked.
    public var url: SourceURL
    /// JSON.
    public var body: [UInt8]
    /// Field names and values that sign it.
    public var signature: [(name: String, value: String)]
    /// Why it is asked, for the account of the download's requests.
    public var reason: DownloadError.Code

    public init(
        url: SourceURL,
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
