/// The disposition of a response, and its file name (RFC 6266).
///
/// The name is the origin's text, unchecked: pass it to ``FileName/init(sanitizing:)``.
public struct ContentDisposition: Hashable, Sendable {
    /// `attachment`, `inline` or another, in lower case; empty when the field has none.
    public let type: String
    /// The name, from `filename*` if that can be decoded, else from `filename`.
    public let filename: String?

    /// Parses the field's value as far as possible: an unknown part is skipped.
    ///
    /// Continuations (`filename*0`) are not part of the HTTP form, and are skipped too.
    public init(_ fieldValue: String) {
        var cursor = FieldCursor(fieldValue)
        cursor.skipWhitespace()
        var ahead = cursor
        let token = ahead.consume(while: \.isTokenCharacter)
        ahead.skipWhitespace()
        // Some servers omit the type and begin with a parameter.
        let hasType = ahead.next != UInt8(ascii: "=")
        type = hasType ? String(decoding: token.map(\.lowercasedASCII), as: UTF8.self) : ""
        if hasType { cursor.skip(to: UInt8(ascii: ";")) }

        var plain: String?
        var extended: String?
        while let parameter = cursor.parseParameter() {
            switch parameter.name {
            case "filename": plain = plain ?? String(decoding: parameter.value, as: UTF8.self)
            case "filename*": extended = extended ?? Self.decodeExtended(parameter.value)
            default: break
            }
        }
        filename = extended ?? plain
    }

    /// `UTF-8''na%C3%AFve.txt` (RFC 8187, 3.2); nil when the charset is another or the bytes are not of that charset.
    private static func decodeExtended(_ value: [UInt8]) -> String? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = PercentEncoding.decode(parts[2])
        switch String(decoding: parts[0].map(\.lowercasedASCII), as: UTF8.self) {
        case "utf-8":
            return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1":
            var text = String.UnicodeScalarView()
            text.append(contentsOf: bytes.map { Unicode.Scalar($0) })
            return String(text)
        default:
            return nil
        }
    }

    /// The value for an attachment: an ASCII name for old clients, then the UTF-8 name.
    public static func attachment(filename: String) -> String {
        "attachment; filename=\"\(fallback(for: filename))\"; filename*=UTF-8''\(PercentEncoding.encode(filename))"
    }

    /// Replaces by an underscore what a quoted string cannot have, and what some clients would decode (`%`).
    private static func fallback(for filename: String) -> String {
        let characters = filename.map { character -> Character in
            guard let byte = character.asciiValue, (0x20...0x7E).contains(byte) else { return "_" }
            return character == "\"" || character == "\\" || character == "%" ? "_" : character
        }
        return String(characters)
    }
}

extension FieldCursor {
    /// Parses the next `; name=value`, with the value's quotes removed; nil at the end.
    fileprivate mutating func parseParameter() -> (name: String, value: [UInt8])? {
        while true {
            _ = consume { $0 == UInt8(ascii: ";") || $0 == .space || $0 == .tab }
            guard !isAtEnd else { return nil }
            let name = consume { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "\"") }
            guard consume("=") else {
                // A quoted string is one piece here too.
                skip(to: UInt8(ascii: ";"))
                continue
            }
            skipWhitespace()
            let value = next == UInt8(ascii: "\"") ? parseQuotedString() : parseUnquoted()
            let trimmed = name.filter { $0 != .space && $0 != .tab }.map(\.lowercasedASCII)
            return (String(decoding: trimmed, as: UTF8.self), value)
        }
    }

    /// Parses a quoted string and resolves its escapes; a missing end quote is tolerated.
    private mutating func parseQuotedString() -> [UInt8] {
        var value: [UInt8] = []
        _ = consumeByte()
        while let byte = consumeByte(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = consumeByte() {
                value.append(escaped)
            } else {
                value.append(byte)
            }
        }
        skip(to: UInt8(ascii: ";"))
        return value
    }

    private mutating func parseUnquoted() -> [UInt8] {
        var value = Array(skip(to: UInt8(ascii: ";")))
        while let last = value.last, last == .space || last == .tab { value.removeLast() }
        return value
    }
}
