/// Builds a ``ResponseHead`` from the lines that libcurl passes to its header callback.
///
/// libcurl parses the same lines. If the two parsers differed, a truncated body could pass for a complete one. This
/// parser therefore skips whatever libcurl skips, and refuses a head that the two, or two versions of libcurl, could
/// parse differently.
struct HeadBuilder {
    enum Progress {
        case incomplete
        /// An interim response has ended (RFC 9110, section 15.2): the server works on the request.
        case interim
        case complete
        case tooLarge
        /// The head is invalid (RFC 9112, sections 4 and 5), or a field that delimits the body is ambiguous.
        case malformed
        case unframed(BodyFraming.Fault)
    }

    /// The preceding line, which a folded line would continue.
    private enum Previous {
        case statusLine, field, nothing
    }

    private let limits: HeadLimits
    private var byteCount = 0
    private var fieldCount = 0
    private var previous = Previous.statusLine
    private var beginsBlock = true
    private(set) var status = 0
    private(set) var version = ResponseHead.Version.other
    private(set) var fields: [HeaderField] = []
    /// What marks the end of the body; nil until a head is complete.
    private(set) var framing: BodyFraming?

    /// The fields that determine where a body ends (RFC 9112, section 6.3), in lower case.
    private static let framing = ["transfer-encoding", "content-length"]

    /// Whether no byte has arrived.
    var isEmpty: Bool { byteCount == 0 }

    init(limits: HeadLimits) {
        self.limits = limits
    }

    mutating func consume(_ line: UnsafeRawBufferPointer) -> Progress {
        byteCount += line.count
        guard byteCount <= limits.bytes else { return .tooLarge }
        // From version 8.22, libcurl passes on a line that the end of the connection has cut.
        guard let first = line.first, line.last == 0x0A else { return .incomplete }
        // libcurl ends the head at a line that starts with CR or LF, whatever follows.
        if first == 0x0D || first == 0x0A { return endBlock(line) }
        if !beginsBlock { fieldCount += 1 }
        guard fieldCount <= limits.fields else { return .tooLarge }
        guard let text = line.withoutLineEnd else { return .malformed }
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
        // Another head also follows a 401 that libcurl handles itself.
        beginsBlock = true
        guard !(100..<200).contains(status) || status == 101 else { return .interim }
        do throws(BodyFraming.Fault) {
            framing = try BodyFraming(status: status, version: version, fields: fields)
            return .complete
        } catch {
            return .unframed(error)
        }
    }

    /// Parses the status line that begins a block. The fields of an interim response (RFC 9110, section 15.2) are
    /// dropped.
    ///
    /// libcurl accepts some invalid status lines, and may read another status from them, so they are refused.
    private mutating func parseStatusLine(_ line: String) -> Bool {
        beginsBlock = false
        previous = .statusLine
        fields = []
        let words = line.split(separator: " ", maxSplits: 2)
        switch words.first {
        case "HTTP/1.0": version = .http1_0
        case "HTTP/1.1": version = .http1_1
        case "HTTP/2": version = .http2
        case "HTTP/3": version = .http3
        default: return false
        }
        guard words.count > 1, words[1].utf8.count == 3, words[1].utf8.allSatisfy(\.isDigit),
            let status = Int(words[1]), status >= 100
        else { return false }
        self.status = status
        return true
    }

    /// A field whose name is not a token is skipped, as libcurl does. It is refused if the name resembles one that
    /// delimits the body, usually with white space before the colon (RFC 9112, section 5.1).
    private mutating func parseField(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        previous = .nothing
        // libcurl refuses a line without a colon, too.
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let name = line[..<colon]
        guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else { return !Self.isFraming(name) }
        let value = line[line.index(after: colon)...]
        let field = text(name)
        fields.append(HeaderField(field, Self.isReference(field) ? reference(value) : text(value)))
        previous = .field
        return true
    }

    /// Appends a folded line (RFC 9112, section 5.2) to the field before it, after one space. Before version 8.22,
    /// libcurl reads only the first line of a field, so a field that delimits the body must not be folded. Version 8.22
    /// unfolds a field before it reads it and passes it on, so that both parsers see one line.
    private mutating func continueField(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        switch previous {
        case .statusLine: return false
        case .nothing: return true
        case .field: break
        }
        guard let last = fields.popLast(), !Self.framing.contains(where: last.isNamed) else { return false }
        let more = Self.isReference(last.name) ? reference(line) : text(line)
        fields.append(HeaderField(last.name, "\(last.value) \(more)"))
        return true
    }

    /// Whether bytes of this response may stay on its connection unseen: lengths beside chunks, chunks in HTTP/1.0 (RFC
    /// 9112, section 6.1), or a body where there may be none.
    var isConnectionSuspect: Bool {
        switch framing {
        case .chunked(let length): length != nil || version == .http1_0
        case .noBody: fields.contains { $0.isNamed("Transfer-Encoding") } || (status == 204 && hasLength)
        case nil, .length, .stream, .untilClose: false
        }
    }

    private var hasLength: Bool { fields.contains { $0.isNamed("Content-Length") && $0.value != "0" } }

    /// Whether the token characters of a name spell a field that delimits the body.
    private static func isFraming(_ name: Slice<UnsafeRawBufferPointer>) -> Bool {
        let token = HeaderField(String(decoding: name.filter(\.isTokenCharacter), as: UTF8.self), "")
        return framing.contains(where: token.isNamed)
    }

    private func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes).trimmed { $0 == 0x20 || $0 == 0x09 }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Whether the field's value is a URL reference.
    private static func isReference(_ name: String) -> Bool { HeaderField(name, "").isNamed("Location") }

    /// The value as it is if it is UTF-8; otherwise its non-ASCII bytes are percent-encoded, as browsers do. Latin-1
    /// decoding would ask the origin for other bytes.
    private func reference(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes).trimmed { $0 == 0x20 || $0 == 0x09 }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(decoding: bytes.flatMap { $0 < 0x80 ? [$0] : $0.percentEncoded }, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension UnsafeRawBufferPointer {
    /// A line without LF or CR LF at its end; nil if it has another CR or LF. From version 8.22, libcurl refuses CR
    /// inside a line (RFC 9112, section 2.2).
    fileprivate var withoutLineEnd: Slice<UnsafeRawBufferPointer>? {
        var text = self[...]
        if text.last == 0x0A { text = text.dropLast() }
        if text.last == 0x0D { text = text.dropLast() }
        return text.contains { $0 == 0x0D || $0 == 0x0A } ? nil : text
    }

    fileprivate func trimmed(_ isTrimmed: (UInt8) -> Bool) -> Slice<UnsafeRawBufferPointer> {
        guard let first = firstIndex(where: { !isTrimmed($0) }) else { return self[..<startIndex] }
        let last = lastIndex { !isTrimmed($0) } ?? first
        return self[first...last]
    }
}

/// The maximum size of a response's head. A larger one is refused with `headTooLarge`.
public struct HeadLimits: Hashable, Sendable {
    public var bytes: Int
    public var fields: Int

    public init(bytes: Int = 256 << 10, fields: Int = 256) {
        self.bytes = bytes
        self.fields = fields
    }
}
