public import Core
public import HTTPFields

/// What is said of the file that an attempt fetches, besides its bytes: by the source, by a Metalink document, and by
/// the digests of a file that did not match them.
public struct FileDescription: Sendable {
    /// What is recorded with the bytes.
    public private(set) var source: Download.Source
    public var metalink: Metalink?
    /// Whether a Metalink document came in place of the file, and its URLs are the sources.
    public private(set) var isFromMetalink: Bool
    /// URLs that the origin named, which are recorded with the bytes.
    public private(set) var mirrors: [DownloadURL]
    /// Expected digests, kept after a mismatch: the file that comes next must match them, whoever brings it.
    private var carriedDigests: [Digest] = []

    public init(_ source: Download.Source, hasBytes: Bool) {
        self.source = source
        isFromMetalink = hasBytes && source.isMetalink
        mirrors = hasBytes ? source.mirrors : []
    }

    /// What the file must be: what the client says, then a Metalink document, then the origin.
    public func expected(by request: DownloadRequest) -> Expected {
        var expected = request.expected
        expected.digests = expected.digests.filled(from: metalink?.digests ?? []).filled(from: carriedDigests)
            .filled(from: source.digests)
        expected.sizeBytes = expected.sizeBytes ?? metalink?.sizeBytes
        return expected
    }

    /// Takes what the source of the file says, in place of what an earlier one did.
    public mutating func replaceSource(with source: Download.Source, at url: DownloadURL) {
        self.source = source
        self.source.digests = (metalink?.digests ?? []).filled(from: carriedDigests).filled(from: source.digests)
        self.source.url = url
        (self.source.mirrors, self.source.isMetalink) = (mirrors, isFromMetalink)
        if let name = metalink?.name.flatMap(FileName.suggested(byMetalink:)) { self.source.suggestedName = name.value }
    }

    /// Takes digests of a response whose source does not say what the file is.
    public mutating func addDigests(_ digests: [Digest]) { source.digests = source.digests.filled(from: digests) }

    /// Takes the URLs that the origin named as duplicates of the file.
    public mutating func setMirrors(_ urls: [DownloadURL]) {
        mirrors = urls
        source.mirrors = mirrors
    }

    /// Takes a Metalink document that came in place of the file.
    public mutating func follow(_ metalink: Metalink, to urls: [DownloadURL]) {
        self.metalink = metalink
        mirrors = urls
        isFromMetalink = true
    }

    /// Keeps digests that the file at hand did not match.
    public mutating func carry(_ digests: [Digest]) { carriedDigests = digests }

    /// Forgets what described the bytes that are gone.
    ///
    /// - Parameter isChange: Whether the origin's file is another by now, which the old digests may not describe.
    public mutating func restart(isChange: Bool, total: Int64?) {
        if isChange {
            carriedDigests = []
            if !isFromMetalink { metalink = nil }
        }
        source = source.forgotten(total: total)
    }
}
