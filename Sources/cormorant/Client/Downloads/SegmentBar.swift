import Client

/// The segments of a download as one line of text.
enum SegmentBar {
    /// - Returns: A bar in which `#` is received, `>` is where a connection receives, and `-` is missing; nil if the
    ///   size of the file is unknown.
    static func text(_ segments: [Segment], cells: Int = 60) -> String? {
        guard let last = segments.last?.lastByte else { return nil }
        let size = Double(last) + 1
        // Each cell shows the byte in its middle.
        var marks = (0..<cells).map { cell in
            let byte = Int64(size * (Double(cell) + 0.5) / Double(cells))
            let segment = segments.last { $0.firstByte <= byte }
            return segment.map { byte < $0.firstByte + $0.receivedBytes ? "#" : "-" } ?? "-"
        }
        for segment in segments where segment.state == "running" {
            let next = Double(segment.firstByte + segment.receivedBytes)
            let cell = min(Int(next * Double(cells) / size), cells - 1)
            if marks[cell] == "-" { marks[cell] = ">" }
        }
        return "[" + marks.joined() + "]"
    }
}
