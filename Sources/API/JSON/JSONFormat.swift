import Core

/// How the JSON of a value is read, and what its schema says.
struct JSONFormat<Value>: Sendable {
    let schema: JSONSchema
    /// Records the violations of an invalid value, and returns nil.
    let read: @Sendable (ValueReader) -> Value?

    init(_ schema: JSONSchema, _ read: @escaping @Sendable (ValueReader) -> Value?) {
        self.schema = schema
        self.read = read
    }

    /// The same JSON as another value.
    func map<Other>(_ transform: @escaping @Sendable (Value) -> Other) -> JSONFormat<Other> {
        JSONFormat<Other>(schema) { [read] in read($0).map(transform) }
    }
}

/// What `openapi.yaml` says of a value.
enum JSONSchema: Hashable, Sendable {
    case boolean
    case integer(ClosedRange<Int64>)
    case string
    /// A string of a fixed list.
    case words([String])
    /// An array with a maximum number of items.
    case array(atMost: Int)
}

extension JSONFormat {
    static func integer(_ range: ClosedRange<Int64>) -> JSONFormat<Int64> where Value == Int64 {
        JSONFormat(.integer(range)) { $0.integer(in: range) }
    }

    static func integer(_ range: ClosedRange<Int64>) -> JSONFormat<Int> where Value == Int {
        JSONFormat<Int64>.integer(range).map { Int($0) }
    }

    static func parsed(_ parse: @escaping @Sendable (String) -> Value?, expected: String) -> Self {
        JSONFormat(.string) { $0.parsed(parse, expected: expected) }
    }
}

extension JSONFormat<Bool> {
    static var flag: Self { Self(.boolean) { $0.bool() } }
}

extension JSONFormat where Value: RawRepresentable<String> & CaseIterable & Sendable {
    /// A raw value of an enumeration.
    static var word: Self { Self(.words(Value.allCases.map(\.rawValue))) { $0.word() } }
}
