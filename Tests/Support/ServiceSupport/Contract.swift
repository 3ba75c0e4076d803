public import API
import Foundation
public import TestSupport
import Yams

/// `openapi.yaml`, and what it says about an answer.
public struct Contract: Sendable {
    /// The description of this package.
    public static let shared = Contract()

    public let root: JSONValue

    private init() {
        // Tests/Support/ServiceSupport/Contract.swift → the package's root
        var url = URL(filePath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        let text = try? String(contentsOf: url.appending(path: "openapi.yaml"), encoding: .utf8)
        let node = text.flatMap { try? Yams.compose(yaml: $0) }
        root = node.map(Self.value) ?? .null
    }

    /// What of an answer is not as described; nothing for paths that are not described at all.
    public func violations(_ response: ReceivedResponse, to method: String, _ target: String) -> [String] {
        let path = String(target.prefix { $0 != "?" })
        guard let operations = operations(at: path) else { return [] }
        let isHead = method == "HEAD" && operations["head"] == nil
        guard let operation = operations[isHead ? "get" : method.lowercased()] else { return [] }
        let responses = operation["responses"] ?? .null
        guard let described = described(response.status, responses) else {
            return ["\(response.status) is not described"]
        }
        return missingFields(response, described) + (method == "HEAD" ? [] : bodyViolations(response, described))
    }

    /// What of a value is not as the schema of this name says.
    public func violations(_ value: JSONValue, schema name: String) -> [String] {
        SchemaCheck(contract: self).violations(
            value,
            .object([.init("$ref", .string("#/components/schemas/\(name)"))]),
            at: ""
        )
    }

    /// Follows a reference, if this is one.
    func resolved(_ value: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.text else { return value }
        let target = reference.split(separator: "/").dropFirst().reduce(Optional(root)) { $0?[String($1)] }
        return target.map(resolved) ?? .null
    }

    /// The response of this status. `default` stands for the statuses that its description lists, and for no others.
    private func described(_ status: Int, _ responses: JSONValue) -> JSONValue? {
        if let named = responses["\(status)"] { return resolved(named) }
        guard let other = responses["default"].map(resolved), status >= 400 else { return nil }
        let isListed = other["content"] == nil || other["description"]?.text?.contains("| \(status) |") == true
        return isListed ? other : nil
    }

    private func operations(at path: String) -> JSONValue? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let paths = root["paths"] ?? .null
        let template = paths.names.first { name in
            let pattern = name.split(separator: "/", omittingEmptySubsequences: false)
            return pattern.count == parts.count && zip(pattern, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        return template.flatMap { paths[$0] }
    }

    /// The fields that an answer with this status always has. The response `Problem` describes many statuses, so it
    /// cannot require them.
    private static let fieldsOfStatus = [
        401: "WWW-Authenticate", 405: "Allow", 429: "Retry-After", 503: "Retry-After",
    ]

    private func missingFields(_ response: ReceivedResponse, _ described: JSONValue) -> [String] {
        let headers = described["headers"] ?? .null
        let always = ["X-Request-Id"] + (Self.fieldsOfStatus[response.status].map { [$0] } ?? [])
        let missing = always.filter { response[$0.lowercased()] == nil }.map { "the field \($0) is missing" }
        return missing
            + headers.names.flatMap { name -> [String] in
                let header = resolved(headers[name] ?? .null)
                guard let value = response[name.lowercased()] else {
                    return header["required"]?.bool == true ? ["the field \(name) is missing"] : []
                }
                return SchemaCheck(contract: self).violations(.string(value), header["schema"] ?? .null, at: name)
            }
    }

    private func bodyViolations(_ response: ReceivedResponse, _ described: JSONValue) -> [String] {
        guard let content = described["content"] else {
            return response.body.isEmpty ? [] : ["a body where none is described"]
        }
        let type = response["content-type"]?.prefix { $0 != ";" } ?? ""
        // The file's own type takes the place of the one that is described.
        guard let media = content[String(type)] else {
            return content["application/octet-stream"] == nil ? ["\(type) is not described"] : []
        }
        guard type.hasSuffix("json"), let schema = media["schema"] else { return [] }
        guard let value = try? response.json else { return ["the body is no JSON"] }
        return SchemaCheck(contract: self).violations(value, schema, at: "")
    }

    private static func value(of node: Node) -> JSONValue {
        switch node {
        case .mapping(let mapping):
            return .object(mapping.map { JSONValue.Member($0.key.string ?? "", value(of: $0.value)) })
        case .sequence(let sequence): return .array(sequence.map { value(of: $0) })
        case .scalar(let scalar):
            // Only a plain scalar is anything but a string (YAML 1.2, core schema).
            guard scalar.style == .plain || scalar.style == .any else { return .string(scalar.string) }
            switch scalar.string {
            case "null", "": return .null
            case "true", "false": return .bool(scalar.string == "true")
            default: return Double(scalar.string) == nil ? .string(scalar.string) : .number(scalar.string)
            }
        case .alias: return .null
        }
    }
}

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
        if let most = schema["maxLength"]?.integer, let text = value.text, text.unicodeScalars.count > most {
            found.append("\(place) is longer than \(most)")
        }
        if let least = schema["minimum"]?.integer, let number = value.integer, number < least {
            found.append("\(place) is less than \(least)")
        }
        if let choices = schema["anyOf"]?.items, !choices.contains(where: { violations(value, $0, at: "").isEmpty }) {
            found.append("\(place) fits none of its schemas: \(choices.map { violations(value, $0, at: place) })")
        }
        if let choices = schema["oneOf"]?.items {
            let faults = choices.map { violations(value, $0, at: place) }
            if faults.count(where: \.isEmpty) != 1 { found.append("\(place) fits not one of its schemas: \(faults)") }
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
