import GRDB

/// The condition that leaves rows of `download` out of a statement. While there are none it is empty, so that it costs
/// nothing and changes no query plan.
struct RowFilter: Sendable {
    /// Follows a condition of `WHERE`.
    let clause: String
    private let list: String?

    init(without ids: Set<String>) {
        guard !ids.isEmpty else {
            (clause, list) = ("", nil)
            return
        }
        clause = "AND id NOT IN (SELECT value FROM json_each(:unreadable))"
        list = "[\(ids.map(Self.quoted).joined(separator: ","))]"
    }

    /// `arguments` of a statement, and what ``clause`` needs. A statement that numbers its parameters cannot have it.
    func arguments(_ arguments: StatementArguments) -> StatementArguments {
        var arguments = arguments
        if let list { arguments += ["unreadable": list] }
        return arguments
    }

    /// A JSON string (RFC 8259, section 7).
    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            guard scalar.value < 0x20 || scalar == "\"" || scalar == "\\" else { return String(scalar) }
            let hex = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        }
        return "\"\(escaped.joined())\""
    }
}
