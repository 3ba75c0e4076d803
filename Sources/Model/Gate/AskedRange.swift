/// A range as it was asked for.
public struct AskedRange: Hashable, Sendable {
    public var first: Int64
    /// nil for an open end.
    public var last: Int64?
    public var condition: RangeCondition

    public init(first: Int64, last: Int64?, condition: RangeCondition) {
        self.first = first
        self.last = last
        self.condition = condition
    }

    /// Where the first new byte goes.
    public var writeOffset: Int64 { first + condition.overlap }

    /// Whether a 412 answers it.
    var isConditional: Bool {
        switch condition {
        case .ifRange, .ifRangeDate, .ifUnmodifiedSince: true
        case .none: false
        }
    }
}
