public import Core

/// Why a body is not the request that it should be: not JSON, or JSON with mistakes.
public enum BodyError: Error, Hashable, Sendable {
    case json(JSONParseError)
    /// At least one; all that were found.
    case violations([Violation])
}

/// Gathers what is wrong in a body, so that its sender learns all of it at once.
struct ViolationList {
    private(set) var violations: [Violation] = []

    /// As many as one answer tells; a hostile body could have tens of thousands.
    static let limit = 50

    mutating func add(_ pointer: JSONPointer, _ code: Violation.Code, _ detail: String) {
        guard violations.count < Self.limit else { return }
        violations.append(Violation(pointer, code, detail))
    }

    mutating func addWrongType(_ pointer: JSONPointer, expected: String, found: JSONValue) {
        add(pointer, .wrongType, "Expected \(expected), found \(found.kind).")
    }

    func throwIfAny() throws(BodyError) {
        if !violations.isEmpty { throw .violations(violations) }
    }
}
