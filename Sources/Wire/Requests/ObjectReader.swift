/// Reads the members of one object of a request.
///
/// Each read of a member returns nil both when it is absent and when it is wrong; what is wrong goes to the list, and
/// the body as a whole is refused for it. Members that were never asked for are refused by ``finish(_:)``.
struct ObjectReader {
    let pointer: JSONPointer
    private let members: [String: JSONValue]
    private let order: [String]
    private var known: Set<String> = []

    /// Nil where `value` is no object, which is noted.
    init?(_ value: JSONValue, at pointer: JSONPointer, _ list: inout ViolationList) {
        guard case .object(let all) = value else {
            list.addWrongType(pointer, expected: "an object", found: value)
            return nil
        }
        self.pointer = pointer
        order = all.map(\.name)
        // A canonically equivalent spelling of an ASCII name does not exist, so folding here hides no known member.
        members = Dictionary(all.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The member as it stands; nil when absent.
    mutating func value(_ name: String) -> JSONValue? {
        known.insert(name)
        return members[name]
    }

    /// The member; nil when absent or null, which mean the same where nothing is to be cleared.
    mutating func present(_ name: String) -> JSONValue? {
        guard let value = value(name), value != .null else { return nil }
        return value
    }

    /// Says that a member that has to be there is not; null stands for none.
    mutating func require(_ name: String, _ list: inout ViolationList) {
        if present(name) == nil { list.add(pointer.appending(name), .required, "\"\(name)\" is required.") }
    }

    /// Notes the members that nobody asked for.
    func finish(_ list: inout ViolationList) {
        for name in order where !known.contains(name) {
            list.add(pointer.appending(name), .unknownMember, "There is no such member.")
        }
    }
}
