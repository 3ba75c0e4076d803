public import Core
public import HTTPFields

/// The proof that another source's bytes belong to the file whose first bytes are stored. The total size must always be
/// equal.
///
/// The size alone proves nothing: mirrors may have an older version, and two versions often have the same size.
public enum SourceAgreement: Hashable, Sendable {
    /// The source has the same strong ETag (RFC 6249, section 6; RFC 9110, section 8.8.3.2).
    case entityTag(EntityTag)
    /// The source has the same `Last-Modified` date and no tag. The date is a strong validator of the stored file.
    case date(HTTPDate)
    /// The digest of the whole file is known. Mirrors often have different tags for the same bytes, so tags are
    /// ignored. The complete file is compared with the digest; after a mismatch it is fetched again from a single
    /// source.
    case digest
    /// There is no proof: another source can only send the file from byte 0.
    case none

    /// - Parameters:
    ///   - representation: The validator of the stored file; nil if nothing is stored.
    ///   - hasDigest: Whether the digest of the whole file is known.
    public init(_ representation: Validator?, hasDigest: Bool) {
        guard let representation, representation.total != nil else {
            self = .none
            return
        }
        if hasDigest {
            self = .digest
            return
        }
        switch representation.strength {
        case .entityTag(let tag): self = .entityTag(tag)
        case .date(let date): self = .date(date)
        case .dateBesideWeakTag, .none: self = .none
        }
    }
}

extension StoredState {
    /// The stored state for a request to another source: it determines the request and how its response is validated.
    ///
    /// - Parameter own: The validator of that source's first accepted response; nil before that response.
    public func requestState(forAnother own: Validator?, _ agreement: SourceAgreement) -> StoredState {
        var state = self
        state.hostHasNoRanges = false
        guard agreement == .digest else { return state }
        state.agreesByDigest = true
        guard var own, let validator else { return state }
        own.total = validator.total
        own.contentEncoding = validator.contentEncoding
        state.validator = own
        // The source's own strong validator is the better proof: it shows at once if this source has a new version.
        if case .none = own.strength { return state }
        if case .dateBesideWeakTag = own.strength { return state }
        state.agreesByDigest = false
        return state
    }
}

extension [Digest] {
    /// Whether a digest differs from the one in `others` with the same algorithm.
    public func contradict(_ others: [Digest]) -> Bool {
        contains { digest in others.contains { $0.algorithm == digest.algorithm && $0 != digest } }
    }
}
