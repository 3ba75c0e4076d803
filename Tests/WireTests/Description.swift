@testable import API
import ServiceSupport
import Testing

/// What `openapi.yaml` says, by name.
enum Description {
    /// What stands at a path of names.
    static func at(_ path: String...) throws -> JSONValue {
        var value = Contract.shared.root
        for name in path { value = try #require(value[name], "no \(name) in \(path)") }
        return value
    }

    static func schema(_ name: String) throws -> JSONValue { try at("components", "schemas", name) }

    static func example(_ name: String) throws -> JSONValue { try at("components", "examples", name, "value") }
}

extension JSONValue {
    var bytes: [UInt8] { Array(canonical.utf8) }
}
