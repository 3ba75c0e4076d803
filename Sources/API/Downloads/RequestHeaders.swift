import Core
import HTTPFields

/// The rules for the header fields that a client sets for a download's requests.
enum RequestHeaderRules {
    private static let maximumCount = 64
    private static let maximumNameLength = 64
    private static let maximumValueLength = 8192

    /// Reads an object of header fields and records violations; nil if the value is not an object.
    ///
    /// - Parameter allowsNull: Whether the value of a field may be null.
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
        if members.count > maximumCount {
            list.add(pointer, .tooMany, "Expected at most \(maximumCount) header fields.")
        }
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

    /// Checks one field and records its violations.
    private static func check(name: String, value: String?, at pointer: JSONPointer, _ list: inout ViolationList) {
        guard name.utf8.count <= maximumNameLength, RequestFieldRules.isFieldName(name) else {
            list.add(pointer, .malformed, "Expected the name of a header field (RFC 9110, section 5.1).")
            return
        }
        if RequestFieldRules.isReserved(name) {
            list.add(pointer, .forbidden, "The service sets this header field itself. Leave it out.")
        }
        guard let value else { return }
        if value.utf8.count > maximumValueLength {
            list.add(pointer, .tooLong, "Expected at most \(maximumValueLength) bytes.")
        } else if !value.utf8.allSatisfy({ $0 == 0x09 || (0x20...0x7E).contains($0) }) {
            list.add(pointer, .malformed, "Expected visible ASCII, spaces and tabs.")
        }
    }

    /// Records duplicate names, ignoring case (RFC 9110, section 5.1).
    private static func checkNames(
        of members: [JSONValue.Member],
        at pointer: JSONPointer,
        _ list: inout ViolationList
    ) {
        var seen: Set<String> = []
        for member in members where !seen.insert(member.name.lowercased()).inserted {
            list.add(pointer.appending(member.name), .malformed, "The name occurs twice; case does not matter.")
        }
    }
}

/// The member `authentication`.
extension ObjectReader {
    private static let maximumNameBytes = 1024
    private static let maximumSecretBytes = 8192

    mutating func authentication(_ list: inout ViolationList) -> OriginAuthentication? {
        guard var reader = object("authentication", &list) else { return nil }
        defer { reader.finish(&list) }
        reader.require("scheme", &list)
        guard let scheme: OriginAuthentication.Scheme = reader.word("scheme", &list) else {
            for name in ["username", "password", "token"] { _ = reader.value(name) }
            return nil
        }
        if scheme == .bearer {
            reader.require("token", &list)
            return reader.token(&list).map { .bearer(token: $0) }
        }
        reader.require("username", &list)
        let username = reader.username(&list) ?? ""
        let password = reader.secret("password", upTo: Self.maximumSecretBytes, &list) ?? ""
        return scheme == .basic
            ? .basic(username: username, password: password) : .digest(username: username, password: password)
    }

    /// The member replaces the whole value: members of different schemes cannot be merged.
    mutating func authenticationChange(
        _ list: inout ViolationList
    ) -> DownloadEdit.Change<OriginAuthentication>? {
        change("authentication") { $0.authentication(&list) }
    }

    /// A user name cannot contain a colon: the first colon ends it (RFC 7617, section 2).
    private mutating func username(_ list: inout ViolationList) -> String? {
        guard let text = secret("username", upTo: Self.maximumNameBytes, &list) else { return nil }
        guard text.utf8.contains(UInt8(ascii: ":")) else { return text }
        list.add(pointer.appending("username"), .malformed, "A user name has no colon.")
        return nil
    }

    private mutating func secret(
        _ name: String,
        upTo limit: Int,
        _ list: inout ViolationList
    ) -> String? {
        guard let text = string(name, &list) else { return nil }
        if text.utf8.count > limit {
            list.add(pointer.appending(name), .tooLong, "Expected at most \(limit) bytes.")
        } else if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            list.add(pointer.appending(name), .malformed, "Expected no control characters.")
        }
        return text
    }

    /// Accepts more than the token of RFC 6750, section 2.1, since services issue such tokens.
    private mutating func token(_ list: inout ViolationList) -> String? {
        guard let text = secret("token", upTo: Self.maximumSecretBytes, &list) else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) { return text }
        list.add(pointer.appending("token"), .malformed, "Expected visible ASCII.")
        return nil
    }
}

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
        if members.count > Self.maximumCount {
            list.add(pointer, .tooMany, "Expected at most \(Self.maximumCount) cookies.")
        }
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

    /// As in RFC 6265, section 4.1.1. Also accepts spaces, quotes, commas and backslashes in values, because servers
    /// set them.
    private static func check(_ name: String, _ value: String, at pointer: JSONPointer, _ list: inout ViolationList) {
        if name.utf8.count > maximumNameLength || !RequestFieldRules.isFieldName(name) {
            list.add(pointer, .malformed, "Expected the name of a cookie (RFC 6265, section 4.1.1).")
        }
        if value.utf8.count > maximumValueLength {
            list.add(pointer, .tooLong, "Expected at most \(maximumValueLength) bytes.")
        } else if !value.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ";") }) {
            list.add(pointer, .malformed, "Expected visible ASCII and spaces, without semicolons.")
        }
    }
}

/// The members `method` and `body`.
extension ObjectReader {
    /// The body of a POST request; nil for GET.
    mutating func post(_ list: inout ViolationList) -> [UInt8]? {
        let method: RequestMethod = word("method", &list) ?? .get
        let body = body(&list)
        if method == .post { return body ?? [] }
        if body != nil {
            list.add(pointer.appending("body"), PostPatch.needsPost.code, PostPatch.needsPost.detail)
        }
        return nil
    }

    mutating func postPatch(_ list: inout ViolationList) -> PostPatch? {
        let method: RequestMethod? = word("method", &list)
        let patch = PostPatch(method: method, body: change("body") { $0.body(&list) })
        return patch == PostPatch() ? nil : patch
    }

    private mutating func body(_ list: inout ViolationList) -> [UInt8]? {
        guard var reader = object("body", &list) else { return nil }
        defer { reader.finish(&list) }
        let text = reader.string("text", &list)
        let base64 = reader.string("base64", &list)
        switch (reader.present("text"), reader.present("base64")) {
        case (nil, nil): list.add(reader.pointer, .required, "Give the body as \"text\" or as \"base64\".")
        case (.some, .some): list.add(reader.pointer, .forbidden, "Give the body once, as \"text\" or as \"base64\".")
        default: break
        }
        guard text != nil || base64 != nil else { return nil }
        guard let bytes = text.map({ Array($0.utf8) }) ?? base64.flatMap({ Base64.decode($0.utf8) }) else {
            list.add(reader.pointer.appending("base64"), .malformed, "Expected base64 (RFC 4648, section 4).")
            return nil
        }
        guard bytes.count <= RequestFieldRules.maximumBodyBytes else {
            list.add(reader.pointer, .tooLong, "Expected at most \(RequestFieldRules.maximumBodyBytes) bytes.")
            return nil
        }
        return bytes
    }
}
