/// A JSON value as it was written: members keep their order, and numbers their text.
public indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The text of the number; a `Double` cannot represent 9007199254740993.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// Names are unique.
    case object([Member])

    /// A name and its value.
    public struct Member: Hashable, Sendable {
        public let name: String
        public let value: JSONValue

        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// The value of a whole number, however it is written (`5`, `5.0`, `5e0`), if it is exact in a `Double`.
    ///
    /// JSON has no integer type, and JSON Schema treats `5.0` as an integer. Larger numbers lose digits in many clients
    /// (RFC 8259, section 6).
    public var integer: Int64? {
        guard case .number(let text) = self else { return nil }
        if let value = Int64(text) { return abs(value.clamped) <= Self.maximumInteger ? value : nil }
        guard let value = Double(text), value.magnitude <= Double(Self.maximumInteger) else { return nil }
        return Int64(exactly: value)
    }

    /// 2^53 - 1: a `Double` represents every whole number up to it exactly.
    public static let maximumInteger: Int64 = 9_007_199_254_740_991

    /// The name of the value's type in an error message.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension Int64 {
    /// The value itself, except `min`, whose magnitude overflows.
    fileprivate var clamped: Int64 { self == .min ? .max : self }
}

extension JSONValue {
    /// The value without white space, members ordered by the bytes of their names, and numbers as written.
    public var canonical: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes the value in canonical form. The recursion is as deep as the value, which the parser limits.
    func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.raw("null")
        case .bool(let value): writer.raw(value ? "true" : "false")
        case .number(let text): writer.raw(text)
        case .string(let text): writer.string(text)
        case .array(let values):
            writer.raw("[")
            for (index, value) in values.enumerated() {
                if index > 0 { writer.raw(",") }
                value.write(to: &writer)
            }
            writer.raw("]")
        case .object(let members):
            writer.raw("{")
            // Compared as bytes: the order of `String` treats canonically equivalent names as equal.
            let sorted = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            for (index, member) in sorted.enumerated() {
                if index > 0 { writer.raw(",") }
                writer.string(member.name)
                writer.raw(":")
                member.value.write(to: &writer)
            }
            writer.raw("}")
        }
    }
}

/// The reason why bytes are not a JSON text that this service accepts.
public struct JSONParseError: Error, Hashable, Sendable {
    public let reason: Reason
    /// The position of the error, in bytes from the start.
    public let offset: Int

    public enum Reason: String, CaseIterable, Hashable, Sendable {
        case empty = "The body is empty."
        /// RFC 8259, section 8.1, forbids senders to add one, and lets parsers refuse it.
        case byteOrderMark = "The text begins with a byte order mark."
        case notUTF8 = "The text is not UTF-8."
        case unexpectedByte = "Unexpected byte."
        case unexpectedEnd = "The text ends before the JSON value is complete."
        case trailingBytes = "Unexpected text after the JSON value."
        case tooDeep = "Arrays and objects are nested too deeply."
        /// Parsers disagree on the meaning of duplicate names (RFC 8259, section 4).
        case duplicateName = "An object has two members with one name."
        /// U+0000 ends a string in C, so code in C would truncate the text.
        case nullCharacter = "A string has U+0000."
        case controlCharacter = "A string has a control character that is not escaped."
        case badEscape = "A string has an invalid escape."
        /// Half of a surrogate pair, such as `\ud800`, which valid Unicode text never contains.
        case loneSurrogate = "A string has half of a surrogate pair."
        case badNumber = "A number does not have the form of a JSON number."
        case numberTooLarge = "A number is too large, or has too many digits."
    }

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
