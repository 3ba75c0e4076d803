/// Makes a ``ResponseHead`` from the lines that libcurl hands to its header callback.
///
/// libcurl has split and parsed the lines before: it decides where the body ends. If the two parsed a head differently,
/// a cut body could pass for a whole one. So nothing is parsed here that libcurl skips, and a head is refused if the
/// two could differ.
struct HeadBuilder {
    enum Progress {
        case incomplete
        case complete
        case tooLarge
        /// No valid head (RFC 9112, sections 4 and 5), or one whose body's end is ambiguous.
        case malformed
    }

    /// The field that a folded line continues.
    private enum Previous {
        case statusLine, field, nothing
    }

    private let limits: HeadLimits
    private var byteCount = 0
    private var lineCount = 0
    private var previous = Previous.statusLine
    private var beginsBlock = true
    private(set) var status = 0
    private(set) var version = ResponseHead.Version.other
    private(set) var fields: [HeaderField] = []

    /// The fields that say where a body ends (RFC 9112, section 6.3), in lower case.
    private static let framing = ["transfer-encoding", "content-length"]

    init(limits: HeadLimits) {
        self.limits = limits
    }

    mutating func consume(_ line: UnsafeRawBufferPointer) -> Progress {
        byteCount += line.count
        guard byteCount <= limits.bytes else { return .tooLarge }
        guard let first = line.first else { return .incomplete }
        // For libcurl the head ends at a line with this start, whatever follows.
        if first == 0x0D || first == 0x0A { return endBlock(line) }
        lineCount += 1
        // The status line is not a field.
        guard lineCount <= limits.fields + 1 else { return .tooLarge }
        let text = line.trimmed { $0 == 0x0D || $0 == 0x0A }
        let isUnderstood: Bool
        if beginsBlock {
            isUnderstood = parseStatusLine(String(decoding: text, as: UTF8.self))
        } else if first == 0x20 || first == 0x09 {
            isUnderstood = continueField(text)
        } else {
            isUnderstood = parseField(text)
        }
        return isUnderstood ? .incomplete : .malformed
    }

    private mutating func endBlock(_ line: UnsafeRawBufferPointer) -> Progress {
        guard line.allSatisfy({ $0 == 0x0D || $0 == 0x0A }), !beginsBlock else { return .malformed }
        // Another head also follows a 401 that libcurl answers itself.
        beginsBlock = true
        return (100..<200).contains(status) && status != 101 ? .incomplete : .complete
    }

    /// A status line begins a block; the fields of an interim response (RFC 9110, section 15.2) are dropped.
    ///
    /// libcurl makes a status of invalid lines, and not always the one in the line.
    private mutating func parseStatusLine(_ line: String) -> Bool {
        beginsBlock = false
        previous = .statusLine
        fields = []
        let words = line.split(separator: " ", maxSplits: 2)
        switch words.first {
        case "HTTP/1.0": version = .http1_0
        case "HTTP/1.1": version = .http1_1
        case "HTTP/2": version = .http2
        default: return false
        }
        guard words.count > 1, words[1].utf8.count == 3, words[1].utf8.allSatisfy(\.isDigit),
            let status = Int(words[1]), status >= 100
        else { return false }
        self.status = status
        return true
    }

    /// A name that is not a token is skipped, as libcurl does, unless it looks like one that delimits the body: white
    /// space before the colon (RFC 9112, section 5.1) is the usual case.
    private mutating func parseField(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        previous = .nothing
        // libcurl refuses a line without a colon by itself.
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let name = line[..<colon]
        guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else { return !Self.isFraming(name) }
        fields.append(HeaderField(text(name), text(line[line.index(after: colon)...])))
        previous = .field
        return true
    }

    /// A folded line (RFC 9112, section 5.2) continues the field before it, after one space. libcurl reads only the
    /// first line of a field, so fields that delimit the body must have no second one.
    private mutating func continueField(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        switch previous {
        case .statusLine: return false
        case .nothing: return true
        case .field: break
        }
        guard let last = fields.popLast(), !Self.framing.contains(where: last.isNamed) else { return false }
        fields.append(HeaderField(last.name, "\(last.value) \(text(line))"))
        return true
    }

    /// Whether the token part of a name is that of a field that delimits the body.
    private static func isFraming(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
        let token = HeaderField(String(decoding: name.filter(\.isTokenCharacter), as: UTF8.self), "")
        return framing.contains(where: token.isNamed)
    }

    private func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes).trimmed { $0 == 0x20 || $0 == 0x09 }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension UnsafeRawBufferPointer {
    fileprivate func trimmed(_ isTrimmed: (UInt8) -> Bool) -> Slice<UnsafeRawBufferPointer> {
        guard let first = firstIndex(where: { !isTrimmed($0) }) else { return self[..<startIndex] }
        let last = lastIndex { !isTrimmed($0) } ?? first
        return self[first...last]
    }
}

/// How much head a response may have before it is refused with `headTooLarge`.
public struct HeadLimits: Hashable, Sendable {
    public var bytes: Int
    public var fields: Int

    public init(bytes: Int = 256 << 10, fields: Int = 256) {
        self.bytes = bytes
        self.fields = fields
    }
}
