public import HTTPFields

/// A patch of `expected`.
public struct ExpectedPatch: Hashable, Sendable {
    public var sizeBytes: DownloadEdit.Change<Int64>?
    /// The changes by algorithm; an absent algorithm keeps its digest.
    public var digests: [DigestAlgorithm: DownloadEdit.Change<Digest>] = [:]
    public var mediaType: DownloadEdit.Change<MediaType>?
    /// Whether the digests that the patch does not name are removed.
    public var removesOtherDigests = false

    public init() {}

    /// Removes everything that is expected.
    public static let clear: Self = {
        var patch = Self()
        (patch.sizeBytes, patch.mediaType, patch.removesOtherDigests) = (.clear, .clear, true)
        return patch
    }()

    public func applied(to current: Expected) -> Expected {
        var expected = current
        if let sizeBytes { expected.sizeBytes = sizeBytes.value }
        if let mediaType { expected.mediaType = mediaType.value }
        expected.digests = DigestAlgorithm.allCases.compactMap { algorithm in
            if let change = digests[algorithm] { return change.value }
            return removesOtherDigests ? nil : current.digests.first { $0.algorithm == algorithm }
        }
        return expected
    }
}
