/// A JSON text's value, as it stood there: members keep their order, and numbers their spelling.
public indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The number as it was written; a `Double` could not tell 9007199254740993 from its neighbour.
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
