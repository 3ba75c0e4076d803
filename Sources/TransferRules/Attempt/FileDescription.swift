public import Core
public import HTTPFields

/// The description of the file that an attempt fetches: by its source, by a Metalink document, and by digests kept
/// after a mismatch.
public struct FileDescription: Sendable {
    /// What is recorded with the bytes.
    public private(set) var source: Download.Source
    public var metalink: Metalink?
    /// Whether a Metalink document came instead of the file, and its URLs are the sources.
    public private(set) var isFromMetalink: Bool
    /// URLs that the origin named, which are recorded with the bytes.
    public private(set) var mirrors: [DownloadURL]
    /// Expected digests, kept after a mismatch: the next file must match them, whichever source sends it.
    private var carriedDigests: [Digest] = []

    public init(_ source: Download.Source, hasBytes: Bool) {
        self.source = source
        isFromMetalink = hasBytes && source.isMetalink
        mirrors = hasBytes ? source.mirrors : []
    }

    /// The expected size and digests. The client's come first, then those of a Metalink document, then the origin's.
    public func expected(by request: DownloadRequest) -> Expected {
        var expected = request.expected
        expected.digests = expected.digests.filled(from: metalink?.digests ?? []).filled(from: carriedDigests)
            .filled(from: source.digests)
        expected.sizeBytes = expected.sizeBytes ?? metalink?.sizeBytes
        return expected
    }

    /// Replaces the description by the source.
    public mutating func replaceSource(with source: Download.Source, at url: DownloadURL) {
        self.source = source
        self.source.digests = (metalink?.digests ?? []).filled(from: carriedDigests).filled(from: source.digests)
        self.source.url = url
        (self.source.mirrors, self.source.isMetalink) = (mirrors, isFromMetalink)
        if let name = metalink?.name.flatMap(FileName.suggested(byMetalink:)) { self.source.suggestedName = name.value }
    }

    /// Adds digests of a response that does not describe the file.
    public mutating func addDigests(_ digests: [Digest]) { source.digests = source.digests.filled(from: digests) }

    /// Sets the duplicates that the origin named.
    public mutating func setMirrors(_ urls: [DownloadURL]) {
        mirrors = urls
        source.mirrors = mirrors
    }

    /// Follows a Metalink document that came instead of the file.
    public mutating func follow(_ metalink: Metalink, to urls: [DownloadURL]) {
        self.metalink = metalink
        mirrors = urls
        isFromMetalink = true
    }

    /// Keeps digests that the fetched file did not match.
    public mutating func carry(_ digests: [Digest]) { carriedDigests = digests }

    /// Removes the description of the dropped bytes.
    ///
    /// - Parameter isChange: Whether the origin's file has changed, so that old digests may be wrong for it.
    public mutating func restart(isChange: Bool, total: Int64?) {
        if isChange {
            carriedDigests = []
            if !isFromMetalink { metalink = nil }
        }
        source = source.forgotten(total: total)
    }
}
