/// Makes a ``ResponseHead`` from the lines that libcurl hands to its header callback.
///
/// libcurl has split the lines and done the framing; a line is only judged for size here.
struct HeadBuilder {
    enum Progress {
        case incomplete
        case complete
        case tooLarge
        case unreadable
    }

    private let limits: HeadLimits
    private var byteCount = 0
    private var lineCount = 0
    private(set) var status = 0
    private(set) var version = ResponseHead.Version.other
    private(set) var fields: [HeaderField] = []

    init(limits: HeadLimits) {
        self.limits = limits
    }

    mutating func consume(_ line: UnsafeRawBufferPointer) -> Progress {
        byteCount += line.count
        guard byteCount <= limits.bytes else { return .tooLarge }
        let line = line.trimmed { $0 == 0x0D || $0 == 0x0A }
        guard !line.isEmpty else { return (100..<200).contains(status) && status != 101 ? .incomplete : .complete }
        lineCount += 1
        // The status line is not a field.
        guard lineCount <= limits.fields + 1 else { return .tooLarge }
        if line.starts(with: "HTTP/".utf8) {
            beginBlock(String(decoding: line, as: UTF8.self))
        } else if line[line.startIndex] == 0x20 || line[line.startIndex] == 0x09 {
            guard continueField(line) else { return .unreadable }
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            fields.append(HeaderField(text(line[..<colon]), text(line[line.index(after: colon)...])))
        }
        return .incomplete
    }

    /// A status line begins a block; what an interim response (RFC 9110, section 15.2) brought is forgotten.
    private mutating func beginBlock(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 2)
        version =
            switch words.first {
            case "HTTP/1.0": .http1_0
            case "HTTP/1.1": .http1_1
            case "HTTP/2": .http2
            default: .other
            }
        status = words.count > 1 ? Int(words[1]) ?? 0 : 0
        fields = []
    }

    /// A folded line (RFC 9112, section 5.2) goes on with the field before it, after one space.
    ///
    /// - Returns: Whether there is one. Right after the status line such a line makes the head invalid (section 2.2).
    private mutating func continueField(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let last = fields.popLast() else { return false }
        fields.append(HeaderField(last.name, "\(last.value) \(text(line))"))
        return true
    }

    private func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes).trimmed { $0 == 0x20 || $0 == 0x09 }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func trimmed(_ isTrimmed: (UInt8) -> Bool) -> Slice<UnsafeRawBufferPointer> {
        guard let first = firstIndex(where: { !isTrimmed($0) }) else { return self[..<startIndex] }
        let last = lastIndex { !isTrimmed($0) } ?? first
        return self[first...last]
    }
}
