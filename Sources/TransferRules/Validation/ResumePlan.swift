public import Core
public import HTTPFields

/// What to ask the origin for, decided by what is stored: the validator ladder.
///
/// Every request carries `Accept-Encoding: identity` and otherwise the same fields, and asks for one closed range where
/// the total is known, which bounds a body that would run on.
public enum ResumePlan: Hashable, Sendable {
    /// A GET without `Range`. Its response, if accepted, replaces the stored bytes.
    case plain
    /// `Range: bytes=from-through`, open at the end when `through` is nil. `from` lies before the wanted position by
    /// the condition's overlap.
    case range(from: Int64, through: Int64?, condition: RangeCondition)
    /// All bytes are there: verify them.
    case complete

    /// Plans the next request for the bytes from `position` on.
    ///
    /// - Parameters:
    ///   - position: Where the next byte goes; by default after the durable ones, as of a download in one stream.
    ///   - through: The last byte wanted; by default that of the file.
    public init(
        resuming stored: StoredState,
        at position: Int64? = nil,
        through: Int64? = nil
    ) {
        let position = position ?? stored.durableBytes
        if position > 0, position == stored.total, position == stored.durableBytes {
            self = .complete
            return
        }
        // From the start of the file a range is asked for only where later bytes are stored.
        guard position > 0 || stored.hasBytes, let validator = stored.validator, !stored.hostHasNoRanges else {
            self = .plain
            return
        }
        let last = through ?? validator.total.map { $0 - 1 }
        if let last, position > last {
            self = .plain
            return
        }
        if stored.agreesByDigest {
            self = .range(from: position, through: last, condition: .none(overlap: 0))
            return
        }
        self = Self.range(at: position, through: last, validator: validator, stored: stored)
    }

    private static func range(
        at position: Int64,
        through: Int64?,
        validator: Validator,
        stored: StoredState
    ) -> ResumePlan {
        switch validator.strength {
        case .entityTag where stored.ifRangeForm == .date && validator.hasBothForms:
            guard let date = validator.lastModified else { return .plain }
            return .range(from: position, through: through, condition: .ifRangeDate(date))
        case .entityTag(let tag): return .range(from: position, through: through, condition: .ifRange(tag))
        case .date(let date): return .range(from: position, through: through, condition: .ifRangeDate(date))
        case .dateBesideWeakTag(let date):
            return .range(from: position, through: through, condition: .ifUnmodifiedSince(date))
        case .none:
            // Equal bytes alone prove nothing: another version may begin as this one does.
            guard stored.isJudgedByDigest, position > 0 else { return .plain }
            let overlap = min(OverlapRules.bytes, position)
            return .range(from: position - overlap, through: through, condition: .none(overlap: overlap))
        }
    }
}

/// What guards a range against bytes of another version.
public enum RangeCondition: Hashable, Sendable {
    /// `If-Range` with a strong tag: a changed file comes whole.
    case ifRange(EntityTag)
    /// `If-Range` with a strong date: if there is no tag (RFC 9110, 13.1.5), or if the host ignores tags
    /// (docs/decisions/0024).
    case ifRangeDate(HTTPDate)
    /// `If-Unmodified-Since`: a changed file is a 412 (RFC 9110, 13.1.4).
    case ifUnmodifiedSince(HTTPDate)
    /// No condition. The range begins `overlap` bytes early, and these are compared with the stored ones. The digest of
    /// the whole file decides in the end.
    case none(overlap: Int64)

    /// The form of `If-Range`; nil where the request has none.
    public var ifRangeForm: IfRangeForm? {
        switch self {
        case .ifRange: .tag
        case .ifRangeDate: .date
        case .ifUnmodifiedSince, .none: nil
        }
    }

    /// Bytes asked for although they are there.
    public var overlap: Int64 {
        switch self {
        case .ifRange, .ifRangeDate, .ifUnmodifiedSince: 0
        case .none(let overlap): overlap
        }
    }
}

/// What is known about a download before a request is sent.
public struct StoredState: Hashable, Sendable {
    /// Bytes of the file that are durable, in all its segments.
    public var durableBytes: Int64
    /// The validator of the first accepted response; nil before it.
    public var validator: Validator?
    /// The request names the digest of the whole file, so another file is never accepted.
    public var expectsDigest: Bool
    /// The digest of the whole file is known, from the client or the origin, and no file was wrong yet: bytes of which
    /// nothing else proves that they belong together are found out in the end if they do not.
    public var isJudgedByDigest = false
    /// The form of `If-Range` for a file that has both.
    public var ifRangeForm = IfRangeForm.tag
    /// Whether the other form is worth a try where this one is ignored.
    public var hasOtherIfRange = false
    /// The validator of the file whose bytes were dropped. It only serves to recognize a page of a login or captive
    /// portal; bytes are never combined by it.
    public var previousFile: Validator?
    /// The host has answered ranges wrongly, or not at all.
    public var hostHasNoRanges: Bool
    /// The response comes from another source than the stored bytes, and the digest of the whole file replaces the
    /// validator: only the total must be equal.
    public var agreesByDigest = false
    /// A `refresh_url` is known, and the file's name is not that of a page: a web page instead of the first byte most
    /// likely means an expired URL.
    public var expectsNoPage = false
    /// Answers in a row that seemed to come from something other than the origin
    /// (``ResponseDecision/retrySuspect(_:)``).
    public var suspectResponses: Int

    public init(
        durableBytes: Int64 = 0,
        validator: Validator? = nil,
        expectsDigest: Bool = false,
        hostHasNoRanges: Bool = false,
        suspectResponses: Int = 0
    ) {
        self.durableBytes = durableBytes
        self.validator = validator
        self.expectsDigest = expectsDigest
        self.hostHasNoRanges = hostHasNoRanges
        self.suspectResponses = suspectResponses
    }

    /// The size of the whole file in bytes, as far as it is known.
    public var total: Int64? { validator?.total }

    var hasBytes: Bool { durableBytes > 0 }

    /// Takes what is known of the host that is asked.
    public mutating func apply(_ memory: IfRangeMemory, at now: Timestamp) {
        ifRangeForm = memory.form(at: now)
        hasOtherIfRange = memory.hasOther(than: ifRangeForm, at: now)
    }
}
