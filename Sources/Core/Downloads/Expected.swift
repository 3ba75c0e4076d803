public import HTTPFields

/// The properties that the file must have.
public struct Expected: Hashable, Sendable {
    public var sizeBytes: Int64?
    public var digests: [Digest]
    /// The media type. It only decides whether a web page can be the file: many origins send a general type for every
    /// file, so other types are not compared.
    public var mediaType: MediaType?

    public init(sizeBytes: Int64? = nil, digests: [Digest] = [], mediaType: MediaType? = nil) {
        self.sizeBytes = sizeBytes
        self.digests = digests
        self.mediaType = mediaType
    }

    /// Whether nothing but a file's size and digests can meet the expectation.
    public var namesOneFile: Bool { sizeBytes != nil || !digests.isEmpty }

    /// An error for the first expected digest that the file does not match; nil if it matches all.
    ///
    /// - Parameter found: The file's digests. An expected digest whose algorithm is missing here counts as a mismatch.
    public func mismatch(_ found: [Digest]) -> DownloadError? {
        for expected in digests {
            let other = found.first { $0.algorithm == expected.algorithm }
            guard other != expected else { continue }
            return DownloadError(
                .checksumMismatch,
                message: "The file's \(expected.algorithm.rawValue) is \(other?.hex ?? "unknown"), not \(expected.hex)."
            )
        }
        return nil
    }
}
