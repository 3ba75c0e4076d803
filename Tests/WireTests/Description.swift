import Foundation
import Testing
import Yams

@testable import Wire

/// `openapi.yaml`, as a JSON value.
struct Description {
    static let shared = try? Description()

    private let root: JSONValue

    private init() throws {
        // Tests/WireTests/Description.swift → the package's root
        var url = URL(filePath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        let text = try String(contentsOf: url.appending(path: "openapi.yaml"), encoding: .utf8)
        root = Self.value(of: try #require(try Yams.compose(yaml: text)))
    }

    /// What stands at a path of names.
    static func at(_ path: String...) throws -> JSONValue {
        var value = try #require(shared).root
        for name in path { value = try #require(value[name], "no \(name) in \(path)") }
        return value
    }

    static func schema(_ name: String) throws -> JSONValue { try at("components", "schemas", name) }

    static func example(_ name: String) throws -> JSONValue { try at("components", "examples", name, "value") }

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

extension JSONValue {
    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    var names: [String] {
        guard case .object(let members) = self else { return [] }
        return members.map(\.name)
    }

    var words: [String] {
        guard case .array(let values) = self else { return [] }
        return values.compactMap(\.text)
    }

    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    var bytes: [UInt8] { Array(canonical.utf8) }
}
