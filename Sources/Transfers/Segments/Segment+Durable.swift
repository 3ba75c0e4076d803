import Model

extension [Segment] {
    /// How far the file is whole from its start.
    var contiguousEnd: Int64 {
        sorted { $0.start < $1.start }.reduce(0) { end, segment in
            segment.start <= end ? Swift.max(end, segment.durableEnd) : end
        }
    }

    /// Those that lie within the file and do not contradict each other.
    func believed(total: Int64?) -> Self {
        SegmentPlan(total: total ?? .max, stored: self).recordable(isOpenEnded: total == nil)
    }

    /// The bytes that would survive the loss of power.
    var durableBytes: Int64 { reduce(0) { $0 + $1.durableEnd - $1.start } }
}

extension SegmentPlan {
    /// The segments to record.
    ///
    /// - Parameter isOpenEnded: Whether the file's end is not known, so that the plan's is none.
    func recordable(isOpenEnded: Bool) -> [Segment] {
        segments.map { segment in
            var segment = segment
            if isOpenEnded && segment.end == total { segment.end = nil }
            return segment
        }
    }
}
