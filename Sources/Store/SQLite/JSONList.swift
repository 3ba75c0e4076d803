/// A list as the JSON text that SQLite's `json_each` reads (RFC 8259).
enum JSONList {
    static func text(_ numbers: [Int64]) -> String {
        "[\(numbers.map(String.init).joined(separator: ","))]"
    }

    static func text(_ texts: [String]) -> String {
        "[\(texts.map(quoted).joined(separator: ","))]"
    }

    /// Section 7.
    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            guard scalar.value < 0x20 || scalar == "\"" || scalar == "\\" else { return String(scalar) }
            let hex = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        }
        return "\"\(escaped.joined())\""
    }
}
