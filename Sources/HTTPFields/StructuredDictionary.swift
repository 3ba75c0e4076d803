/// A dictionary of byte sequences in a header field (RFC 9651, 3.2 and 3.3.5).
///
/// Members with a value of another kind are skipped, and so are parameters.
struct StructuredDictionary {
    /// The byte sequences by key; of a repeated key the last counts (RFC 9651, 4.2.2).
    private(set) var bytes: [String: [UInt8]] = [:]

    /// nil if the field is no dictionary, or has an inner list: then none of it counts.
    init?(_ fieldValue: String) {
        var cursor = FieldCursor(fieldValue)
        cursor.skipWhitespace()
        while !cursor.isAtEnd {
            guard let key = cursor.parseKey() else { return nil }
            var item = FieldCursor.BareItem.other
            if cursor.consume("=") {
                guard let taken = cursor.parseBareItem() else { return nil }
                item = taken
            }
            guard cursor.skipParameters() else { return nil }
            if case .bytes(let value) = item { bytes[key] = value } else { bytes[key] = nil }
            cursor.skipWhitespace()
            if cursor.isAtEnd { return }
            guard cursor.consume(",") else { return nil }
            cursor.skipWhitespace()
            if cursor.isAtEnd { return nil }
        }
    }
}

extension FieldCursor {
    fileprivate enum BareItem {
        case bytes([UInt8])
        /// A number, text, token, boolean or date.
        case other
    }

    /// Consumes a key (RFC 9651, 4.2.3.3).
    fileprivate mutating func parseKey() -> String? {
        guard let first = next, first.isLowercaseLetter || first == UInt8(ascii: "*") else { return nil }
        let key = consume { byte in
            if byte.isLowercaseLetter || byte.isASCIIDigit { return true }
            return byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: "*")
        }
        return String(decoding: key, as: UTF8.self)
    }

    fileprivate mutating func parseBareItem() -> BareItem? {
        if consume(":") {
            let text = consume { $0 != UInt8(ascii: ":") }
            guard consume(":"), let bytes = Base64.decode(text) else { return nil }
            return .bytes(bytes)
        }
        if consume("\"") { return skipText() ? .other : nil }
        // The kind of a number, token, boolean or date does not matter here.
        let taken = consume { byte in
            byte.isTokenCharacter || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/")
                || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "@")
        }
        return taken.isEmpty ? nil : .other
    }

    private mutating func skipText() -> Bool {
        while let byte = consumeByte(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), consumeByte() == nil { return false }
            if isAtEnd { return false }
        }
        return true
    }

    fileprivate mutating func skipParameters() -> Bool {
        while consume(";") {
            skipWhitespace()
            guard parseKey() != nil else { return false }
            if consume("="), parseBareItem() == nil { return false }
        }
        return true
    }
}

extension UInt8 {
    fileprivate var isLowercaseLetter: Bool { self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z") }
}
