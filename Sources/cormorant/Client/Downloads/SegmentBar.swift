import Client

/// The segments of a download as one line of text.
enum SegmentBar {
    /// - Returns: A bar in which `#` is received, `>` is being fetched, and `-` is missing; nil if the size of the file
    ///   is unknown.
    static func text(_ segments: [Segment], cells: Int = 60) -> String? {
        guard let last = segments.last?.lastByte else { return nil }
        let size = Double(last) + 1
        // Each cell shows the byte in its middle.
        let marks = (0..<cells).map { cell in
            let byte = Int64(size * (Double(cell) + 0.5) / Double(cells))
            return segments.last { $0.firstByte <= byte }.map { mark(of: byte, in: $0) } ?? "-"
        }
        return "[" + marks.joined() + "]"
    }

    private static func mark(of byte: Int64, in segment: Segment) -> String {
        if byte < segment.firstByte + segment.receivedBytes { return "#" }
        return segment.state == "running" ? ">" : "-"
    }
}
