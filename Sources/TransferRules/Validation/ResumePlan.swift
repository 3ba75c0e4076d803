public import Core
public import HTTPFields

/// The plan for the next request. It depends on what is stored and uses the strongest available validator.
///
/// Every request has `Accept-Encoding: identity` and otherwise the same fields. If the total is known, it names a
/// single range with an end, which limits an overlong body.
public enum ResumePlan: Hashable, Sendable {
    /// A GET without `Range`. Its response, if accepted, replaces the stored bytes.
    case plain
    /// `Range: bytes=from-through`; without an end if `through` is nil. `from` is the next position minus the
    /// condition's overlap.
    case range(from: Int64, through: Int64?, condition: RangeCondition)
    /// No request: all bytes are stored and must be verified.
    case complete

    /// Plans the request for the bytes from `position` on.
    ///
    /// - Parameters:
    ///   - position: The offset of the next byte; by default after the durable bytes, as for a single stream.
    ///   - through: The last byte to request; by default the last byte of the file.
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
        // A range from byte 0 is requested only if later bytes are stored.
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
            // Equal bytes alone prove nothing: two versions may have the same beginning.
            guard stored.isVerifiedByDigest, position > 0 else { return .plain }
            let overlap = min(OverlapRules.bytes, position)
            return .range(from: position - overlap, through: through, condition: .none(overlap: overlap))
        }
    }
}

/// The condition that guards a range against bytes of another version.
public enum RangeCondition: Hashable, Sendable {
    /// `If-Range` with a strong tag: if the file has changed, the whole file is sent.
    case ifRange(EntityTag)
    /// `If-Range` with a strong date, if there is no tag (RFC 9110, 13.1.5) or the host ignores tags
    /// (docs/decisions/0024).
    case ifRangeDate(HTTPDate)
    /// `If-Unmodified-Since`: if the file has changed, the response is a 412 (RFC 9110, 13.1.4).
    case ifUnmodifiedSince(HTTPDate)
    /// No condition. The range begins `overlap` bytes earlier, and these bytes are compared with the stored ones. At
    /// the end the digest of the whole file decides.
    case none(overlap: Int64)

    /// The form of `If-Range`; nil if the request has none.
    public var ifRangeForm: IfRangeForm? {
        switch self {
        case .ifRange: .tag
        case .ifRangeDate: .date
        case .ifUnmodifiedSince, .none: nil
        }
    }

    /// The number of bytes that are requested although they are stored.
    public var overlap: Int64 {
        switch self {
        case .ifRange, .ifRangeDate, .ifUnmodifiedSince: 0
        case .none(let overlap): overlap
        }
    }
}

/// The state of a download on which the next request depends.
public struct StoredState: Hashable, Sendable {
    /// The number of durable bytes, in all segments.
    public var durableBytes: Int64
    /// The validator of the first accepted response; nil before that response.
    public var validator: Validator?
    /// Whether the client stated a digest of the whole file, so that another file is never accepted.
    public var expectsDigest: Bool
    /// Whether a digest of the whole file is known, from the client or the origin, and no file had a wrong one yet.
    /// Bytes may then be combined without other proof, because the digest detects an error at the end.
    public var isVerifiedByDigest = false
    /// The form of `If-Range` to use for a file that has both a tag and a date.
    public var ifRangeForm = IfRangeForm.tag
    /// Whether the other form should be tried if this one is ignored.
    public var hasOtherIfRange = false
    /// The validator of the file whose bytes were discarded. It only helps to detect a login page or captive portal; it
    /// never allows bytes to be combined.
    public var previousFile: Validator?
    /// Whether the host does not serve ranges, or not correctly.
    public var hostHasNoRanges: Bool
    /// Whether the response comes from another source than the stored bytes and the digest of the whole file replaces
    /// the validator: only the total must be equal.
    public var agreesByDigest = false
    /// Whether the request has a `refresh_url` and the file's name has no web page's extension. A web page as the first
    /// response then most likely means an expired URL.
    public var expectsNoPage = false
    /// Whether the client accepts a file whose length nothing proves.
    public var acceptsUnverifiedLength = false
    /// Whether a web page is never the file (``DownloadRequest/refusesPage``).
    public var refusesPage = false
    /// The number of consecutive responses that seemed not to come from the origin
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

    /// The size of the whole file in bytes; nil if unknown.
    public var total: Int64? { validator?.total }

    var hasBytes: Bool { durableBytes > 0 }

    /// Sets the form of `If-Range` from what was learned about the host.
    public mutating func apply(_ memory: IfRangeMemory, at now: Timestamp) {
        ifRangeForm = memory.form(at: now)
        hasOtherIfRange = memory.hasOther(than: ifRangeForm, at: now)
    }
}
