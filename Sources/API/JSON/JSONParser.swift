/// A strict JSON parser (RFC 8259) for untrusted text.
///
/// It takes linear time, and its recursion is limited by ``maximumDepth``. It refuses input on which JSON parsers are
/// known to disagree: duplicate names, byte order marks, lone surrogates, U+0000, and bytes after the end.
struct JSONParser {
    /// Enough for any legitimate request, and too little to overflow a stack.
    static let maximumDepth = 32

    let bytes: [UInt8]
    var offset = 0

    /// Parses a complete JSON text.
    static func parse(_ bytes: [UInt8]) throws(JSONParseError) -> JSONValue {
        var parser = JSONParser(bytes: bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw JSONParseError(.byteOrderMark, at: 0) }
        parser.skipWhitespace()
        if parser.peek == nil { throw JSONParseError(.empty, at: parser.offset) }
        let value = try parser.value(depth: 0)
        parser.skipWhitespace()
        if parser.peek != nil { throw JSONParseError(.trailingBytes, at: parser.offset) }
        return value
    }

    var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// The error at this position: an unexpected byte, or the end of the text.
    var unexpected: JSONParseError { JSONParseError(peek == nil ? .unexpectedEnd : .unexpectedByte, at: offset) }

    mutating func skipWhitespace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    mutating func consume(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        offset += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONParseError) -> JSONValue {
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

    private mutating func word(_ word: String, _ value: JSONValue) throws(JSONParseError) -> JSONValue {
        for byte in word.utf8 {
            guard consume(byte) else { throw unexpected }
        }
        return value
    }

    private mutating func array(depth: Int) throws(JSONParseError) -> JSONValue {
        try enter(depth: depth)
        var values: [JSONValue] = []
        skipWhitespace()
        if consume(UInt8(ascii: "]")) { return .array(values) }
        while true {
            skipWhitespace()
            values.append(try value(depth: depth))
            skipWhitespace()
            if consume(UInt8(ascii: "]")) { return .array(values) }
            guard consume(UInt8(ascii: ",")) else { throw unexpected }
        }
    }

    private mutating func object(depth: Int) throws(JSONParseError) -> JSONValue {
        try enter(depth: depth)
        var members: [JSONValue.Member] = []
        // Compared as bytes: `String` treats canonically equivalent names as equal.
        var names: Set<[UInt8]> = []
        skipWhitespace()
        if consume(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipWhitespace()
            let start = offset
            guard peek == UInt8(ascii: "\"") else { throw unexpected }
            let name = try string()
            guard names.insert(Array(name.utf8)).inserted else { throw JSONParseError(.duplicateName, at: start) }
            skipWhitespace()
            guard consume(UInt8(ascii: ":")) else { throw unexpected }
            skipWhitespace()
            members.append(JSONValue.Member(name, try value(depth: depth)))
            skipWhitespace()
            if consume(UInt8(ascii: "}")) { return .object(members) }
            guard consume(UInt8(ascii: ",")) else { throw unexpected }
        }
    }

    /// Consumes an opening bracket.
    private mutating func enter(depth: Int) throws(JSONParseError) {
        guard depth <= Self.maximumDepth else { throw JSONParseError(.tooDeep, at: offset) }
        offset += 1
    }
}

extension JSONValue {
    /// Parses a JSON text strictly. The caller must limit its size.
    public init(parsing bytes: [UInt8]) throws(JSONParseError) {
        self = try JSONParser.parse(bytes)
    }
}

extension JSONParser {
    /// More digits than any `Double` needs.
    static let maximumNumberLength = 400

    /// Parses a number and returns its text.
    mutating func number() throws(JSONParseError) -> String {
        let start = offset
        _ = consume(UInt8(ascii: "-"))
        if offset == start, !(peek.map(isDigit) ?? false) { throw unexpected }
        // No digit may follow a leading zero.
        if !consume(UInt8(ascii: "0")) { try digits(from: start) }
        if consume(UInt8(ascii: ".")) { try digits(from: start) }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            if !consume(UInt8(ascii: "+")) { _ = consume(UInt8(ascii: "-")) }
            try digits(from: start)
        }
        if let next = peek, isDigit(next) { throw JSONParseError(.badNumber, at: start) }
        guard offset - start <= Self.maximumNumberLength else { throw JSONParseError(.numberTooLarge, at: start) }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw JSONParseError(.numberTooLarge, at: start) }
        return text
    }

    private mutating func digits(from start: Int) throws(JSONParseError) {
        guard let first = peek, isDigit(first) else {
            throw JSONParseError(peek == nil ? .unexpectedEnd : .badNumber, at: start)
        }
        while let byte = peek, isDigit(byte) { offset += 1 }
    }
}

private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

extension JSONParser {
    /// Parses a string with its quotes.
    mutating func string() throws(JSONParseError) -> String {
        let start = offset
        offset += 1
        var text: [UInt8] = []
        while true {
            let run = offset
            while let byte = peek, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { offset += 1 }
            text.append(contentsOf: bytes[run..<offset])
            guard let byte = peek else { throw JSONParseError(.unexpectedEnd, at: offset) }
            if consume(UInt8(ascii: "\"")) { break }
            guard byte == UInt8(ascii: "\\") else {
                throw JSONParseError(byte == 0 ? .nullCharacter : .controlCharacter, at: offset)
            }
            try escape(into: &text)
        }
        guard let decoded = String(validating: text, as: UTF8.self) else { throw JSONParseError(.notUTF8, at: start) }
        return decoded
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONParseError) {
        let start = offset
        offset += 1
        guard let letter = peek else { throw JSONParseError(.unexpectedEnd, at: offset) }
        offset += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try unicodeEscape(from: start)).utf8)
        default: throw JSONParseError(.badEscape, at: start)
        }
    }

    /// The character of a `\u` escape or of a surrogate pair of two. The first `\u` is already consumed.
    private mutating func unicodeEscape(from start: Int) throws(JSONParseError) -> Character {
        let high = try codeUnit(from: start)
        if high == 0 { throw JSONParseError(.nullCharacter, at: start) }
        if let scalar = Unicode.Scalar(high) { return Character(scalar) }
        guard high < 0xDC00, consume(UInt8(ascii: "\\")), consume(UInt8(ascii: "u")) else {
            throw JSONParseError(.loneSurrogate, at: start)
        }
        let low = try codeUnit(from: start)
        guard (0xDC00...0xDFFF).contains(low) else { throw JSONParseError(.loneSurrogate, at: start) }
        guard let scalar = Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)) else {
            throw JSONParseError(.loneSurrogate, at: start)
        }
        return Character(scalar)
    }

    private mutating func codeUnit(from start: Int) throws(JSONParseError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek else { throw JSONParseError(.unexpectedEnd, at: offset) }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw JSONParseError(.badEscape, at: start)
            }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}
