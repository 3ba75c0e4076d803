/// What to ask the origin for, decided by what is stored: the validator ladder.
///
/// Every request carries `Accept-Encoding: identity` and otherwise the same fields, and asks for one closed range where
/// the total is known, which bounds a body that would run on.
public enum ResumePlan: Hashable, Sendable {
    /// A GET without `Range`. Its answer, if it is accepted, replaces the bytes at hand.
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
