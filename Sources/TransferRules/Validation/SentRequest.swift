import HTTPFields

/// The request to which a response belongs.
public struct SentRequest: Hashable, Sendable {
    /// The requested range; nil for a plain GET.
    public var range: RequestedRange?
    /// The index of the segment; 0 for the first one and for a download with a single stream.
    public var segmentIndex: Int
    /// Whether it repeats a request without its range after the response was refused.
    public var isRepeatWithoutRange: Bool
    /// The version of the file that need not be sent; nil for none.
    public var known: KnownVersion?

    public init(
        range: RequestedRange? = nil,
        segmentIndex: Int = 0,
        isRepeatWithoutRange: Bool = false
    ) {
        self.range = range
        self.segmentIndex = segmentIndex
        self.isRepeatWithoutRange = isRepeatWithoutRange
    }

    /// The request for a plan; nil if the plan needs no request.
    public init?(_ plan: ResumePlan, segmentIndex: Int = 0) {
        switch plan {
        case .plain: self.init(segmentIndex: segmentIndex)
        case .range(let first, let last, let condition):
            self.init(range: RequestedRange(first: first, last: last, condition: condition), segmentIndex: segmentIndex)
        case .complete: return nil
        }
    }
}
