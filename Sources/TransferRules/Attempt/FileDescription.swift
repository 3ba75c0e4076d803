public import Core
public import HTTPFields

/// The description of the file that an attempt fetches. It combines the source's response, a Metalink document, and the
/// digests that were kept after a mismatch.
public struct FileDescription: Sendable {
    /// The description that is stored with the bytes.
    public private(set) var source: Download.Source
    public var metalink: Metalink?
    /// Whether the origin sent a Metalink document instead of the file, so that its URLs are the sources.
    public private(set) var isFromMetalink: Bool
    /// URLs of the same file that the origin named. They are stored with the bytes.
    public private(set) var mirrors: [DownloadURL]
    /// Expected digests, kept after a mismatch: the next file must match them, whichever source sends it.
    private var carriedDigests: [Digest] = []

    public init(_ source: Download.Source, hasBytes: Bool) {
        self.source = source
        isFromMetalink = hasBytes && source.isMetalink
        mirrors = hasBytes ? source.mirrors : []
    }

    /// The expected size and digests. The client's values take precedence over a Metalink document's, and those over
    /// the origin's.
    public func expected(by request: DownloadRequest) -> Expected {
        var expected = request.expected
        expected.digests = expected.digests.filled(from: metalink?.digests ?? []).filled(from: carriedDigests)
            .filled(from: source.digests)
        expected.sizeBytes = expected.sizeBytes ?? metalink?.sizeBytes
        return expected
    }

    /// Replaces the description with that of a new response.
    public mutating func replaceSource(with source: Download.Source, at url: DownloadURL) {
        self.source = source
        self.source.digests = (metalink?.digests ?? []).filled(from: carriedDigests).filled(from: source.digests)
        self.source.url = url
        (self.source.mirrors, self.source.isMetalink) = (mirrors, isFromMetalink)
        if let name = metalink?.name.flatMap(FileName.suggested(byMetalink:)) { self.source.suggestedName = name.value }
    }

    /// Adds the digests of a response that does not describe the file.
    public mutating func addDigests(_ digests: [Digest]) { source.digests = source.digests.filled(from: digests) }

    /// Sets the duplicates that the origin named.
    public mutating func setMirrors(_ urls: [DownloadURL]) {
        mirrors = urls
        source.mirrors = mirrors
    }

    /// Uses the URLs of a Metalink document that the origin sent instead of the file.
    public mutating func follow(_ metalink: Metalink, to urls: [DownloadURL]) {
        self.metalink = metalink
        mirrors = urls
        isFromMetalink = true
    }

    /// Keeps the expected digests after a mismatch.
    public mutating func carry(_ digests: [Digest]) { carriedDigests = digests }

    /// Resets the description after the stored bytes were discarded.
    ///
    /// - Parameter isChange: Whether the origin's file has changed. The kept digests may then be wrong for it and are
    ///   removed.
    public mutating func restart(isChange: Bool, total: Int64?) {
        if isChange {
            carriedDigests = []
            if !isFromMetalink { metalink = nil }
        }
        source = source.forgotten(total: total)
    }
}
