/// Reads the members of one object of a request.
///
/// Each read of a member returns nil both when it is absent and when it is wrong; what is wrong goes to the list, and
/// the body as a whole is refused for it. Members that were never asked for are refused by ``finish(_:)``.
struct ObjectReader {
    let pointer: JSONPointer
    private let members: [JSONValue.Member]
    /// Which of them were asked for. There are few, so a search costs less than a table would.
    private var isKnown: [Bool]

    /// Nil where `value` is no object, which is noted.
    init?(_ value: JSONValue, at pointer: JSONPointer, _ list: inout ViolationList) {
        guard case .object(let all) = value else {
            list.addWrongType(pointer, expected: "an object", found: value)
            return nil
        }
        self.pointer = pointer
        members = all
        isKnown = Array(repeating: false, count: all.count)
    }

    var isEmpty: Bool { members.isEmpty }

    /// The member as it stands; nil when absent.
    mutating func value(_ name: String) -> JSONValue? {
        guard let index = members.firstIndex(where: { $0.name == name }) else { return nil }
        isKnown[index] = true
        return members[index].value
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
        for (member, isKnown) in zip(members, isKnown) where !isKnown {
            list.add(pointer.appending(member.name), .unknownMember, "There is no such member.")
        }
    }
}
