public import Core
public import HTTPFields

/// What proves that another source's bytes are of the file that was begun. The total has to be equal in any case.
///
/// A size alone proves nothing: mirrors lag behind, and two versions often are of one size.
public enum SourceAgreement: Hashable, Sendable {
    /// The same strong tag (RFC 6249, section 6; RFC 9110, section 8.8.3.2).
    case entityTag(EntityTag)
    /// The same date, strong on the side of what was begun, and no tag.
    case date(HTTPDate)
    /// The digest of the whole file is known. Mirrors often have different tags for the same bytes, so tags are
    /// ignored: at its end the file matches the digest, or is fetched again from one source.
    case digest
    /// Nothing: another source can only send the file from byte 0.
    case none

    /// - Parameters:
    ///   - representation: What was begun; nil before there is anything.
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
    /// The stored state by which a request to another source is planned and validated.
    ///
    /// - Parameter own: The validator of that source's first accepted response; nil before it.
    public func requestState(forAnother own: Validator?, _ agreement: SourceAgreement) -> StoredState {
        var state = self
        state.hostHasNoRanges = false
        guard agreement == .digest else { return state }
        state.agreesByDigest = true
        guard var own, let validator else { return state }
        own.total = validator.total
        own.contentEncoding = validator.contentEncoding
        state.validator = own
        // From now on its own validator is the better proof: it shows at once if this source has a new version.
        if case .none = own.strength { return state }
        if case .dateBesideWeakTag = own.strength { return state }
        state.agreesByDigest = false
        return state
    }
}

extension [Digest] {
    /// Whether one of `others` of the same algorithm differs.
    public func contradict(_ others: [Digest]) -> Bool {
        contains { digest in others.contains { $0.algorithm == digest.algorithm && $0 != digest } }
    }
}
