import Model

/// The two objects of a client's own that a download carries, and their limits.
public enum ClientObject: String, CaseIterable, Sendable {
    /// Texts by short names, to find downloads by.
    case labels
    /// Whatever the client wants to find again.
    case metadata

    static let maximumCount = 50
    static let maximumBytes = 16_384
    static let maximumNameLength = 128
    static let maximumLabelLength = 256

    /// Checks a whole object and returns its canonical text; nil when it is empty or wrong.
    func text(of members: [JSONValue.Member], at pointer: JSONPointer, _ list: inout ViolationList) -> JSONText? {
        if members.count > Self.maximumCount {
            list.add(pointer, .tooMany, "At most \(Self.maximumCount) members.")
            return nil
        }
        for member in members { check(member, at: pointer.appending(member.name), &list) }
        guard !members.isEmpty else { return nil }
        let text = JSONValue.object(members).canonical
        if text.utf8.count > Self.maximumBytes {
            list.add(pointer, .tooLong, "At most \(Self.maximumBytes) bytes of JSON.")
            return nil
        }
        return JSONText(canonical: text)
    }

    func check(_ member: JSONValue.Member, at pointer: JSONPointer, _ list: inout ViolationList) {
        if !(1...Self.maximumNameLength).contains(member.name.unicodeScalars.count) {
            list.add(pointer, .tooLong, "A name has 1 to \(Self.maximumNameLength) characters.")
        }
        guard self == .labels else { return }
        guard case .string(let text) = member.value else {
            list.addWrongType(pointer, expected: "a string", found: member.value)
            return
        }
        if text.unicodeScalars.count > Self.maximumLabelLength {
            list.add(pointer, .tooLong, "A label has at most \(Self.maximumLabelLength) characters.")
        }
    }
}
