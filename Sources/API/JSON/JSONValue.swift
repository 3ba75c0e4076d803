/// A JSON text's value, as it stood there: members keep their order, and numbers their spelling.
public indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The number as it was written; a `Double` cannot represent 9007199254740993.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// No name occurs twice.
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

    /// The value of a number that is whole, however it is written (`5`, `5.0`, `5e0`), and exact in a `Double`.
    ///
    /// JSON knows no integers, so JSON Schema takes `5.0` for one; larger ones lose their last digits in many a client
    /// (RFC 8259, section 6).
    public var integer: Int64? {
        guard case .number(let text) = self else { return nil }
        if let value = Int64(text) { return abs(value.clamped) <= Self.maximumInteger ? value : nil }
        guard let value = Double(text), value.magnitude <= Double(Self.maximumInteger) else { return nil }
        return Int64(exactly: value)
    }

    /// 2^53 - 1: every whole number up to it is exact in a `Double`.
    public static let maximumInteger: Int64 = 9_007_199_254_740_991

    /// What a value of this kind is called in a message.
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
    /// Itself, but for the one value that has no magnitude.
    fileprivate var clamped: Int64 { self == .min ? .max : self }
}

extension JSONValue {
    /// The value without white space, members in the order of their names' bytes, and numbers as they were written.
    public var canonical: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes the value in canonical form. Recursion is as deep as the value, which the parser limits.
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
            // Bytes decide: `String`'s own order would call canonically equivalent names equal.
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

/// A flat JSON object of texts on one line: what a log is made of.
public enum JSONLine {
    public static func text(_ members: [(String, String)]) -> String {
        var writer = JSONWriter(reserving: 256)
        writer.object { writer in
            for (name, value) in members {
                writer.foreignName(name)
                writer.string(value)
            }
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Why bytes are not a JSON text that this service reads.
public struct JSONParseError: Error, Hashable, Sendable {
    public let reason: Reason
    /// Where the fault was noticed, counted in bytes from the beginning.
    public let offset: Int

    public enum Reason: String, CaseIterable, Hashable, Sendable {
        case empty = "The body is empty."
        /// RFC 8259, section 8.1, forbids to add one and leaves it open to refuse one.
        case byteOrderMark = "The text begins with a byte order mark."
        case notUTF8 = "The text is not UTF-8."
        case unexpectedByte = "Unexpected byte."
        case unexpectedEnd = "The text ends before the JSON value is complete."
        case trailingBytes = "Unexpected text after the JSON value."
        case tooDeep = "Arrays and objects are nested too deeply."
        /// RFC 8259, section 4: what they mean differs from reader to reader.
        case duplicateName = "An object has two members with one name."
        /// U+0000 cuts a text short wherever C reads it.
        case nullCharacter = "A string has U+0000."
        case controlCharacter = "A string has a control character that is not escaped."
        case badEscape = "A string has an invalid escape."
        /// Half of a pair, as `\ud800`: no Unicode text has it.
        case loneSurrogate = "A string has half of a surrogate pair."
        case badNumber = "A number does not have the form of a JSON number."
        case numberTooLarge = "A number is too large, or has too many digits."
    }

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }
}
