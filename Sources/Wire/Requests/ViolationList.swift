/// Gathers what is wrong in a body, so that its sender learns all of it at once.
struct ViolationList {
    private(set) var violations: [WireViolation] = []

    /// As many as one answer tells; a hostile body could have tens of thousands.
    static let limit = 50

    mutating func add(_ pointer: JSONPointer, _ code: WireViolation.Code, _ detail: String) {
        guard violations.count < Self.limit else { return }
        violations.append(WireViolation(pointer, code, detail))
    }

    mutating func addWrongType(_ pointer: JSONPointer, expected: String, found: JSONValue) {
        add(pointer, .wrongType, "Expected \(expected), found \(found.kind).")
    }

    func throwIfAny() throws(BodyFault) {
        if !violations.isEmpty { throw .violations(violations) }
    }
}
