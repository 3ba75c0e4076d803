/// A new download as a client requests it. It equals the stored request, except that its secrets are not encrypted yet.
public struct RequestedDownload: Hashable, Sendable {
    /// Its URLs are not encrypted, and its `credentials` are nil.
    public var request: DownloadRequest
    /// The folder of the file, in place of the `directory` of the request.
    public var directory: DirectoryTemplate?
    /// Not encrypted.
    public var credentials: RequestCredentials
    /// False creates the download in the state `paused`.
    public var starts: Bool

    public init(
        request: DownloadRequest,
        directory: DirectoryTemplate? = nil,
        credentials: RequestCredentials = RequestCredentials(),
        starts: Bool = true
    ) {
        self.request = request
        self.directory = directory
        self.credentials = credentials
        self.starts = starts
    }
}
