public import API

/// A member of a schema of `openapi.yaml`.
public struct DescribedMember: Sendable {
    /// Its name, after that of the object that it is in: `limits/max_bytes`.
    public let path: String
    /// Its schema behind references, without "or null".
    public let schema: JSONValue
    public let isNullable: Bool
    /// A value; nil if the schema does not say enough to make one.
    public let example: JSONValue?

    /// The name of the object that it is in, or its own.
    public var owner: String { path.split(separator: "/").first.map { String($0) } ?? path }

    /// Every kind of value that a test can make: the example, and null.
    public var values: [JSONValue] { (example.map { [$0] } ?? []) + (isNullable ? [.null] : []) }

    /// An object of only this member, and of the others that are given.
    public func object(_ value: JSONValue, with others: [JSONValue.Member] = []) -> JSONValue {
        let names = path.split(separator: "/").map { String($0) }
        let inner = names.dropFirst().reversed().reduce(value) { .object([.init($1, $0)]) }
        return .object(others + [.init(owner, inner)])
    }

    /// Its value in an object; nil if the object does not have it.
    public func value(in object: JSONValue) -> JSONValue? {
        path.split(separator: "/").reduce(Optional(object)) { $0?[String($1)] }
    }
}

extension Contract {
    /// The members of a schema. The members of an object stand in its place, unless their names are free.
    public func members(of schema: String) -> [DescribedMember] {
        properties(root["components"]?["schemas"]?[schema] ?? .null).flatMap { name, schema in
            let inner = properties(schema)
            return inner.isEmpty ? [member(name, schema)] : inner.map { member("\(name)/\($0)", $1) }
        }
    }

    private func properties(_ schema: JSONValue) -> [(name: String, schema: JSONValue)] {
        let properties = withoutNull(schema)["properties"] ?? .null
        return properties.names.map { ($0, properties[$0] ?? .null) }
    }

    private func member(_ path: String, _ schema: JSONValue) -> DescribedMember {
        DescribedMember(
            path: path,
            schema: withoutNull(schema),
            isNullable: isNullable(schema),
            example: example(of: schema)
        )
    }

    private func withoutNull(_ schema: JSONValue) -> JSONValue {
        let schema = resolved(schema)
        return schema["anyOf"]?.items.first.map(withoutNull) ?? schema
    }

    private func isNullable(_ schema: JSONValue) -> Bool {
        let schema = resolved(schema)
        return schema.types.contains("null") || schema["anyOf"]?.items.contains(where: isNullable) == true
    }

    private func example(of schema: JSONValue) -> JSONValue? {
        let schema = withoutNull(schema)
        if let word = schema["enum"]?.items.first { return word }
        switch schema.types.first {
        case "boolean": return .bool(true)
        case "integer":
            let least = schema["minimum"]?.integer ?? 1
            return .number("\(min(max(1, least), schema["maximum"]?.integer ?? .max))")
        case "array": return .array(schema["items"].flatMap(example).map { [$0] } ?? [])
        case "string": return schema["pattern"] == nil || schema["format"] != nil ? text(schema) : pattern(schema)
        default: return nil
        }
    }

    /// Texts of the formats that have a simple one.
    private static let texts = [
        "": "a", "cormorant-directory": "a", "cormorant-file-name": "a", "cormorant-key": "a",
        "cormorant-media-type": "application/zip", "cormorant-mirror": "http://b.example/", "cormorant-root-name": "a",
        "cormorant-text": "a", "cormorant-text-lines": "a", "cormorant-url": "http://b.example/",
        "date-time": "2026-01-09T03:04:05.000Z",
    ]

    private func text(_ schema: JSONValue) -> JSONValue? {
        Self.texts[schema["format"]?.text ?? ""].map { .string($0) }
    }

    private func pattern(_ schema: JSONValue) -> JSONValue? {
        SchemaCheck(contract: self).violations(.string("a"), schema, at: "").isEmpty ? .string("a") : nil
    }
}

extension JSONValue {
    /// The types that a schema allows.
    public var types: [String] {
        guard let types = self["type"] else { return [] }
        return types.text.map { [$0] } ?? types.words
    }
}
