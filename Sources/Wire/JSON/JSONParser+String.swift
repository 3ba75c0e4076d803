extension JSONParser {
    /// Reads a string, its quotes included.
    mutating func string() throws(JSONFault) -> String {
        let start = offset
        offset += 1
        var text: [UInt8] = []
        while true {
            let run = offset
            while let byte = peek, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { offset += 1 }
            text.append(contentsOf: bytes[run..<offset])
            guard let byte = peek else { throw JSONFault(.unexpectedEnd, at: offset) }
            if take(UInt8(ascii: "\"")) { break }
            guard byte == UInt8(ascii: "\\") else {
                throw JSONFault(byte == 0 ? .nullCharacter : .controlCharacter, at: offset)
            }
            try escape(into: &text)
        }
        guard let decoded = String(validating: text, as: UTF8.self) else { throw JSONFault(.notUTF8, at: start) }
        return decoded
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONFault) {
        let start = offset
        offset += 1
        guard let letter = peek else { throw JSONFault(.unexpectedEnd, at: offset) }
        offset += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try unicodeEscape(from: start)).utf8)
        default: throw JSONFault(.badEscape, at: start)
        }
    }

    /// The character of `\u` and four digits, or of two of them that make a pair; the first `\u` is read.
    private mutating func unicodeEscape(from start: Int) throws(JSONFault) -> Character {
        let high = try codeUnit(from: start)
        if high == 0 { throw JSONFault(.nullCharacter, at: start) }
        if let scalar = Unicode.Scalar(high) { return Character(scalar) }
        guard high < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw JSONFault(.loneSurrogate, at: start)
        }
        let low = try codeUnit(from: start)
        guard (0xDC00...0xDFFF).contains(low) else { throw JSONFault(.loneSurrogate, at: start) }
        guard let scalar = Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)) else {
            throw JSONFault(.loneSurrogate, at: start)
        }
        return Character(scalar)
    }

    private mutating func codeUnit(from start: Int) throws(JSONFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek else { throw JSONFault(.unexpectedEnd, at: offset) }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw JSONFault(.badEscape, at: start)
            }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }
}
