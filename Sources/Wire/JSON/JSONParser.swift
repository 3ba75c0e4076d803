/// A strict reader of JSON (RFC 8259) for texts from strangers.
///
/// It takes time linear in the text's length, and its recursion ends at ``maximumDepth``. What readers of JSON are
/// known to disagree on is refused: names that occur twice, byte order marks, lone surrogates, U+0000, and bytes after
/// the end.
struct JSONParser {
    /// Deep enough for any honest request, and far from the end of a stack.
    static let maximumDepth = 32

    let bytes: [UInt8]
    var offset = 0

    /// Reads a whole text.
    static func parse(_ bytes: [UInt8]) throws(JSONFault) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw JSONFault(.byteOrderMark, at: 0) }
        parser.skipWhitespace()
        if parser.peek == nil { throw JSONFault(.empty, at: parser.offset) }
        let value = try parser.value(depth: 0)
        parser.skipWhitespace()
        if parser.peek != nil { throw JSONFault(.trailingBytes, at: parser.offset) }
        return value
    }

    var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// The fault of what stands here: the wrong byte, or none.
    var unexpected: JSONFault { JSONFault(peek == nil ? .unexpectedEnd : .unexpectedByte, at: offset) }

    mutating func skipWhitespace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        offset += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSONValue {
        switch peek {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONFault) -> JSONValue {
        for byte in word.utf8 {
            guard take(byte) else { throw unexpected }
        }
        return value
    }

    private mutating func array(depth: Int) throws(JSONFault) -> JSONValue {
        try enter(depth: depth)
        var values: [JSONValue] = []
        skipWhitespace()
        if take(UInt8(ascii: "]")) { return .array(values) }
        while true {
            skipWhitespace()
            values.append(try value(depth: depth))
            skipWhitespace()
            if take(UInt8(ascii: "]")) { return .array(values) }
            guard take(UInt8(ascii: ",")) else { throw unexpected }
        }
    }

    private mutating func object(depth: Int) throws(JSONFault) -> JSONValue {
        try enter(depth: depth)
        var members: [JSONValue.Member] = []
        // By bytes: `String` would take canonically equivalent names for the same one.
        var names: Set<[UInt8]> = []
        skipWhitespace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipWhitespace()
            let start = offset
            guard peek == UInt8(ascii: "\"") else { throw unexpected }
            let name = try string()
            guard names.insert(Array(name.utf8)).inserted else { throw JSONFault(.duplicateName, at: start) }
            skipWhitespace()
            guard take(UInt8(ascii: ":")) else { throw unexpected }
            skipWhitespace()
            members.append(JSONValue.Member(name, try value(depth: depth)))
            skipWhitespace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw unexpected }
        }
    }

    /// Steps over an opening bracket.
    private mutating func enter(depth: Int) throws(JSONFault) {
        guard depth <= Self.maximumDepth else { throw JSONFault(.tooDeep, at: offset) }
        offset += 1
    }
}

extension JSONValue {
    /// Reads a JSON text strictly. Its size is the caller's to limit.
    public init(parsing bytes: [UInt8]) throws(JSONFault) {
        self = try JSONParser.parse(bytes)
    }
}
