import Model

extension [Segment] {
    /// How far the file is whole from its start.
    var contiguousEnd: Int64 {
        sorted { $0.start < $1.start }.reduce(0) { end, segment in
            segment.start <= end ? Swift.max(end, segment.durableEnd) : end
        }
    }
}
