public import API

extension JSONValue {
    /// The member called `name`; nil where there is none, or this is no object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    public var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The values of an array; none for anything else.
    public var items: [JSONValue] {
        guard case .array(let values) = self else { return [] }
        return values
    }

    /// The names of an object's members.
    public var names: [String] {
        guard case .object(let members) = self else { return [] }
        return members.map(\.name)
    }

    /// The texts of an array.
    public var words: [String] { items.compactMap(\.text) }
}
