import Model

/// The form that the header fields of a request have to have.
enum RequestHeaderRules {
    private static let maximumCount = 64
    private static let maximumNameLength = 64
    private static let maximumValueLength = 8192

    /// Reads an object of header fields and notes what is wrong with it; nil where it is none.
    ///
    /// - Parameter allowsNull: Whether null may stand in place of a value.
    static func read(
        _ value: JSONValue,
        allowsNull: Bool,
        at pointer: JSONPointer,
        _ list: inout ViolationList
    ) -> [(name: String, value: String?)]? {
        guard case .object(let members) = value else {
            list.addWrongType(pointer, expected: "an object", found: value)
            return nil
        }
        if members.count > maximumCount { list.add(pointer, .tooMany, "At most \(maximumCount) header fields.") }
        checkNames(of: members, at: pointer, &list)
        var fields: [(name: String, value: String?)] = []
        for member in members {
            let place = pointer.appending(member.name)
            let text: String?
            switch member.value {
            case .null where allowsNull: text = nil
            case .string(let value): text = value
            default:
                list.addWrongType(place, expected: allowsNull ? "a string or null" : "a string", found: member.value)
                continue
            }
            check(name: member.name, value: text, at: place, &list)
            fields.append((member.name, text))
        }
        return fields
    }

    /// Checks one field and notes what is wrong with it.
    private static func check(name: String, value: String?, at pointer: JSONPointer, _ list: inout ViolationList) {
        guard name.utf8.count <= maximumNameLength, RequestFieldRules.isFieldName(name) else {
            list.add(pointer, .malformed, "This is not the name of a header field.")
            return
        }
        if RequestFieldRules.isReserved(name) {
            list.add(pointer, .forbidden, "The service sets this header field by itself.")
        }
        guard let value else { return }
        if value.utf8.count > maximumValueLength {
            list.add(pointer, .tooLong, "A header field has at most \(maximumValueLength) bytes.")
        } else if !value.utf8.allSatisfy({ $0 == 0x09 || (0x20...0x7E).contains($0) }) {
            list.add(pointer, .malformed, "A header field holds visible ASCII, spaces and tabs.")
        }
    }

    /// Notes the fields whose name stands there twice, which case does not hide (RFC 9110, section 5.1).
    private static func checkNames(
        of members: [JSONValue.Member],
        at pointer: JSONPointer,
        _ list: inout ViolationList
    ) {
        var seen: Set<String> = []
        for member in members where !seen.insert(member.name.lowercased()).inserted {
            list.add(pointer.appending(member.name), .malformed, "The same name stands twice; case does not matter.")
        }
    }
}
