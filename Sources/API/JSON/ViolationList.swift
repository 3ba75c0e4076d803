import Core

/// Collects the violations in a body, so that the client gets all of them at once.
///
/// All readers of a body share one list.
final class ViolationList {
    private(set) var violations: [Violation] = []

    /// The maximum number of violations in one response. A hostile body could have hundreds of thousands.
    static let limit = 20

    /// Whether further violations are left out.
    var isFull: Bool { violations.count >= Self.limit }

    func add(_ violation: Violation) {
        if !isFull { violations.append(violation) }
    }

    func throwIfAny() throws(BodyError) {
        if !violations.isEmpty { throw .violations(violations) }
    }
}
