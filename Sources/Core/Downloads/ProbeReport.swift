/// What an origin reports about a file that is not downloaded yet.
public struct ProbeReport: Hashable, Sendable {
    /// The values of the last response; empty if there was none.
    public var source: Download.Source
    /// The name that the file would get if it is free.
    public var filename: FileName
    public var sizeBytes: Int64?
    /// Whether the origin sends parts of the file; nil if that is unknown.
    public var acceptsRanges: Bool?
    /// Why a download would fail now; nil if it could begin.
    public var error: DownloadError?

    public init(
        _ request: DownloadRequest,
        source: Download.Source = Download.Source(),
        sizeBytes: Int64? = nil,
        acceptsRanges: Bool? = nil,
        error: DownloadError? = nil
    ) {
        self.source = source
        self.sizeBytes = sizeBytes
        self.acceptsRanges = acceptsRanges
        self.error = error
        // The type of an error page is not that of the file.
        let isFile = (200..<300).contains(source.status ?? 200)
        filename = FileName.choose(
            requested: request.filename,
            suggested: source.suggestedName,
            url: request.url.text,
            type: isFile ? source.suffixType : nil
        )
    }
}
