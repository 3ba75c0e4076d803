import API
import Foundation

/// Holds a value against a schema, more strictly than JSON Schema does: what is written has to be described, and a
/// word has to be one of those listed.
struct SchemaCheck {
    let contract: Contract

    func violations(_ value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
        let parts = parts(of: schema)
        return parts.flatMap { own(value, $0, at: place) } + members(value, parts, at: place)
    }

    /// A schema with those that it is made of.
    private func parts(of schema: JSONValue) -> [JSONValue] {
        let schema = contract.resolved(schema)
        return [schema] + (schema["allOf"]?.items ?? []).flatMap(parts)
    }

    private func own(_ value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
        var found: [String] = []
        if let types = schema["type"], !Self.types(types).contains(where: { Self.fits(value, $0) }) {
            found.append("\(place) is not \(Self.types(types))")
        }
        for words in [schema["enum"], schema["x-extensible-enum"]] {
            if let words, value != .null, !words.items.contains(value) { found.append("\(place) is none of the words") }
        }
        if let constant = schema["const"], constant != value { found.append("\(place) is not \(constant)") }
        if let pattern = schema["pattern"]?.text, let text = value.text,
            text.range(of: pattern, options: .regularExpression) == nil
        {
            found.append("\(place) does not match \(pattern)")
        }
        if let least = schema["minimum"]?.integer, let number = value.integer, number < least {
            found.append("\(place) is less than \(least)")
        }
        if let choices = schema["anyOf"]?.items, !choices.contains(where: { violations(value, $0, at: "").isEmpty }) {
            found.append("\(place) fits none of its schemas: \(choices.map { violations(value, $0, at: place) })")
        }
        if let item = schema["items"] {
            found += value.items.enumerated().flatMap { violations($1, item, at: "\(place)/\($0)") }
        }
        return found
    }

    private func members(_ value: JSONValue, _ parts: [JSONValue], at place: String) -> [String] {
        guard case .object(let members) = value else { return [] }
        let required = Set(parts.flatMap { $0["required"]?.words ?? [] })
        let missing = required.subtracting(value.names).map { "\(place)/\($0) is missing" }
        guard parts.contains(where: { $0["properties"] != nil || $0["additionalProperties"] != nil }) else {
            return missing
        }
        return missing
            + members.flatMap { member -> [String] in
                let place = "\(place)/\(member.name)"
                let described = parts.compactMap { $0["properties"]?[member.name] ?? $0["additionalProperties"] }
                guard let schema = described.first else { return ["\(place) is not described"] }
                return violations(member.value, schema, at: place)
            }
    }

    private static func types(_ types: JSONValue) -> [String] { types.text.map { [$0] } ?? types.words }

    private static func fits(_ value: JSONValue, _ type: String) -> Bool {
        switch (value, type) {
        case (.null, "null"), (.bool, "boolean"), (.number, "number"), (.string, "string"), (.array, "array"),
            (.object, "object"):
            true
        case (.number, "integer"): value.integer != nil
        default: false
        }
    }
}
