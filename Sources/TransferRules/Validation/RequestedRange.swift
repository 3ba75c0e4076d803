import HTTPFields

/// A requested range.
public struct RequestedRange: Hashable, Sendable {
    public var first: Int64
    /// nil for an open end.
    public var last: Int64?
    public var condition: RangeCondition

    public init(first: Int64, last: Int64?, condition: RangeCondition) {
        self.first = first
        self.last = last
        self.condition = condition
    }

    /// The offset of the first new byte.
    public var writeOffset: Int64 { first + condition.overlap }

    /// Whether the response may be a 412.
    var isConditional: Bool {
        switch condition {
        case .ifRange, .ifRangeDate, .ifUnmodifiedSince: true
        case .none: false
        }
    }
}
