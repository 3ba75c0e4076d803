import Model

/// The member `cookies`.
extension ObjectReader {
    private static let maximumCount = 64
    private static let maximumNameLength = 256
    private static let maximumValueLength = 4096

    mutating func cookies(_ list: inout ViolationList) -> [RequestCredentials.Cookie] {
        guard let value = present("cookies") else { return [] }
        return readCookies(value, allowsNull: false, &list).compactMap { cookie in
            cookie.value.map { RequestCredentials.Cookie(name: cookie.name, value: $0) }
        }
    }

    mutating func cookiePatch(_ list: inout ViolationList) -> CookiePatch? {
        guard let value = value("cookies") else { return nil }
        if value == .null { return .clear }
        return .merge(
            readCookies(value, allowsNull: true, &list).map { CookiePatch.Change(name: $0.name, value: $0.value) }
        )
    }

    private func readCookies(
        _ value: JSONValue,
        allowsNull: Bool,
        _ list: inout ViolationList
    ) -> [(name: String, value: String?)] {
        let pointer = pointer.appending("cookies")
        guard case .object(let members) = value else {
            list.addWrongType(pointer, expected: "an object", found: value)
            return []
        }
        if members.count > Self.maximumCount { list.add(pointer, .tooMany, "At most \(Self.maximumCount) cookies.") }
        return members.compactMap { member in
            let place = pointer.appending(member.name)
            switch member.value {
            case .null where allowsNull: return (member.name, nil)
            case .string(let text):
                Self.check(member.name, text, at: place, &list)
                return (member.name, text)
            default:
                list.addWrongType(place, expected: allowsNull ? "a string or null" : "a string", found: member.value)
                return nil
            }
        }
    }

    /// As RFC 6265, section 4.1.1, but for spaces, quotes, commas and backslashes in values, which servers do set.
    private static func check(_ name: String, _ value: String, at pointer: JSONPointer, _ list: inout ViolationList) {
        if name.utf8.count > maximumNameLength || !RequestFieldRules.isFieldName(name) {
            list.add(pointer, .malformed, "This is not the name of a cookie.")
        }
        if value.utf8.count > maximumValueLength {
            list.add(pointer, .tooLong, "A cookie has at most \(maximumValueLength) bytes.")
        } else if !value.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ";") }) {
            list.add(pointer, .malformed, "A cookie holds visible ASCII and spaces, but no semicolon.")
        }
    }
}
