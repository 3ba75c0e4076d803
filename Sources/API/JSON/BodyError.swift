public import Core

/// The reason why a body is invalid: not JSON, or JSON with violations.
public enum BodyError: Error, Hashable, Sendable {
    case json(JSONParseError)
    /// All violations that were found, at least one.
    case violations([Violation])
}

extension JSONValue {
    /// - Throws: ``BodyError/json(_:)`` if the body is not JSON.
    init(body bytes: [UInt8]) throws(BodyError) {
        do throws(JSONParseError) { self = try JSONValue(parsing: bytes) } catch { throw .json(error) }
    }
}
