import Core
import HTTPFields

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
