/// The request that a response answers.
public struct RequestAsked: Hashable, Sendable {
    /// The range that it named; nil for a plain GET.
    public var range: AskedRange?
    /// 0 for the first segment, which is also that of a download in one stream.
    public var segmentIndex: Int
    /// It repeats, without a range, a request whose answer was refused.
    public var isPlainRepeat: Bool

    public init(
        range: AskedRange? = nil,
        segmentIndex: Int = 0,
        isPlainRepeat: Bool = false
    ) {
        self.range = range
        self.segmentIndex = segmentIndex
        self.isPlainRepeat = isPlainRepeat
    }

    /// The request of a plan; nil when the plan is to ask nothing.
    public init?(_ plan: ResumePlan, segmentIndex: Int = 0) {
        switch plan {
        case .plain: self.init(segmentIndex: segmentIndex)
        case .range(let first, let last, let condition):
            self.init(range: AskedRange(first: first, last: last, condition: condition), segmentIndex: segmentIndex)
        case .complete: return nil
        }
    }
}
