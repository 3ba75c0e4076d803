/// The value of a `Content-Disposition` field: the disposition and the file name (RFC 6266).
///
/// The name is the origin's text and is not validated: pass it to ``FileName/init(sanitizing:)``.
public struct ContentDisposition: Hashable, Sendable {
    /// `attachment`, `inline` or another type, in lower case; empty if the field has no type.
    public let type: String
    /// The name from `filename*` if it can be decoded, otherwise from `filename`.
    public let filename: String?

    /// Parses the field's value and skips each part that it does not know.
    ///
    /// HTTP has no continuations (`filename*0`): they are skipped too.
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

    /// Decodes an extended value such as `UTF-8''na%C3%AFve.txt` (RFC 8187, 3.2). Returns nil if the charset is unknown
    /// or the bytes are invalid in it.
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

    /// The ASCII name: an underscore replaces each character that a quoted string cannot contain, and each `%`, which
    /// some clients would decode.
    private static func fallback(for filename: String) -> String {
        let characters = filename.map { character -> Character in
            guard let byte = character.asciiValue, (0x20...0x7E).contains(byte) else { return "_" }
            return character == "\"" || character == "\\" || character == "%" ? "_" : character
        }
        return String(characters)
    }
}

extension FieldCursor {
    /// Parses the next `; name=value` and removes the quotes of the value. Returns nil at the end.
    fileprivate mutating func parseParameter() -> (name: String, value: [UInt8])? {
        while true {
            _ = consume { $0 == UInt8(ascii: ";") || $0 == .space || $0 == .tab }
            guard !isAtEnd else { return nil }
            let name = consume { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "\"") }
            guard consume("=") else {
                // A part without `=` may contain a quoted string, too.
                skip(to: UInt8(ascii: ";"))
                continue
            }
            skipWhitespace()
            let value = next == UInt8(ascii: "\"") ? parseQuotedString() : parseUnquoted()
            let trimmed = name.filter { $0 != .space && $0 != .tab }.map(\.lowercasedASCII)
            return (String(decoding: trimmed, as: UTF8.self), value)
        }
    }

    /// Parses a quoted string and resolves its escapes. The closing quote may be missing.
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
