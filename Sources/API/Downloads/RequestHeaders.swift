import Core
import HTTPFields

/// The rules for the header fields that a client sets for a download's requests.
enum RequestHeaderRules {
    private static let maximumCount = 64
    private static let maximumNameLength = 64
    private static let maximumValueLength = 8192

    static let reserved = "The service sets this header field itself. Leave it out."

    /// Reads an object of header fields and records violations; nil if the value is not an object.
    ///
    /// - Parameter allowsNull: Whether the value of a field may be null.
    static func read(_ value: ValueReader, allowsNull: Bool) -> [(name: String, value: String?)]? {
        guard let members = value.members() else { return nil }
        if members.count > maximumCount { value.refuse(.tooMany, "Expected at most \(maximumCount) header fields.") }
        checkNames(of: members, value)
        var fields: [(name: String, value: String?)] = []
        for member in members {
            let field = value.member(member)
            guard let text = field.text(allowsNull: allowsNull) else { continue }
            check(member.name, text, field)
            fields.append((member.name, text))
        }
        return fields
    }

    /// Checks one field and records its violations.
    private static func check(_ name: String, _ value: String?, _ field: ValueReader) {
        guard name.utf8.count <= maximumNameLength, RequestFieldRules.isFieldName(name) else {
            field.refuse(.malformed, "Expected the name of a header field (RFC 9110, section 5.1).")
            return
        }
        if RequestFieldRules.isReserved(name) { field.refuse(.forbidden, reserved) }
        guard let value else { return }
        if value.utf8.count > maximumValueLength {
            field.refuse(.tooLong, "Expected at most \(maximumValueLength) bytes.")
        } else if !value.utf8.allSatisfy({ $0 == 0x09 || (0x20...0x7E).contains($0) }) {
            field.refuse(.malformed, "Expected visible ASCII, spaces and tabs.")
        }
    }

    /// Records duplicate names, ignoring case (RFC 9110, section 5.1).
    private static func checkNames(of members: [JSONValue.Member], _ value: ValueReader) {
        var seen: Set<String> = []
        for member in members where !seen.insert(member.name.lowercased()).inserted {
            value.member(member).refuse(.malformed, "The name occurs twice; case does not matter.")
        }
    }
}

extension ValueReader {
    /// A text, or null where a patch removes it; nil if invalid.
    fileprivate func text(allowsNull: Bool) -> String?? {
        switch value {
        case .null where allowsNull: return .some(nil)
        case .string(let text): return text
        default:
            refuseType(expected: allowsNull ? "a string or null" : "a string")
            return nil
        }
    }
}

/// The member `authentication`.
extension ObjectReader {
    private static let maximumNameBytes = 1024
    private static let maximumSecretBytes = 8192

    mutating func authentication() -> OriginAuthentication? {
        object("authentication") { $0.authenticationMembers() } ?? nil
    }

    private mutating func authenticationMembers() -> OriginAuthentication? {
        require("scheme")
        guard let scheme: OriginAuthentication.Scheme = word("scheme") else {
            for name in ["username", "password", "token"] { _ = member(name) }
            return nil
        }
        if scheme == .bearer {
            require("token")
            return token().map { .bearer(token: $0) }
        }
        require("username")
        let username = username() ?? ""
        let password = secret("password", upTo: Self.maximumSecretBytes) ?? ""
        return scheme == .basic
            ? .basic(username: username, password: password) : .digest(username: username, password: password)
    }

    /// The member replaces the whole value: members of different schemes cannot be merged.
    mutating func authenticationChange() -> DownloadEdit.Change<OriginAuthentication>? {
        change("authentication") { $0.authentication() }
    }

    /// A user name cannot contain a colon: the first colon ends it (RFC 7617, section 2).
    private mutating func username() -> String? {
        guard let text = secret("username", upTo: Self.maximumNameBytes) else { return nil }
        guard text.utf8.contains(UInt8(ascii: ":")) else { return text }
        refuse("username", .malformed, "A user name has no colon.")
        return nil
    }

    private mutating func secret(_ name: String, upTo limit: Int) -> String? {
        guard let text = string(name) else { return nil }
        if text.utf8.count > limit {
            refuse(name, .tooLong, "Expected at most \(limit) bytes.")
        } else if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            refuse(name, .malformed, "Expected no control characters.")
        }
        return text
    }

    /// Accepts more than the token of RFC 6750, section 2.1, since services issue such tokens.
    private mutating func token() -> String? {
        guard let text = secret("token", upTo: Self.maximumSecretBytes) else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) { return text }
        refuse("token", .malformed, "Expected visible ASCII.")
        return nil
    }
}

/// The member `cookies`.
extension ObjectReader {
    private static let maximumCount = 64
    private static let maximumNameLength = 256
    private static let maximumValueLength = 4096

    mutating func cookies() -> [RequestCredentials.Cookie] {
        guard let value = present("cookies") else { return [] }
        return readCookies(value, allowsNull: false).compactMap { cookie in
            cookie.value.map { RequestCredentials.Cookie(name: cookie.name, value: $0) }
        }
    }

    mutating func cookiePatch() -> CookiePatch? {
        guard let value = member("cookies") else { return nil }
        if value.value == .null { return .clear }
        let cookies = readCookies(value, allowsNull: true)
        return .merge(cookies.map { CookiePatch.Change(name: $0.name, value: $0.value) })
    }

    private func readCookies(_ value: ValueReader, allowsNull: Bool) -> [(name: String, value: String?)] {
        guard let members = value.members() else { return [] }
        if members.count > Self.maximumCount {
            value.refuse(.tooMany, "Expected at most \(Self.maximumCount) cookies.")
        }
        return members.compactMap { member in
            let cookie = value.member(member)
            guard let text = cookie.text(allowsNull: allowsNull) else { return nil }
            if let text { Self.check(member.name, text, cookie) }
            return (member.name, text)
        }
    }

    /// As in RFC 6265, section 4.1.1. Also accepts spaces, quotes, commas and backslashes in values, because servers
    /// set them.
    private static func check(_ name: String, _ value: String, _ cookie: ValueReader) {
        if name.utf8.count > maximumNameLength || !RequestFieldRules.isFieldName(name) {
            cookie.refuse(.malformed, "Expected the name of a cookie (RFC 6265, section 4.1.1).")
        }
        if value.utf8.count > maximumValueLength {
            cookie.refuse(.tooLong, "Expected at most \(maximumValueLength) bytes.")
        } else if !value.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ";") }) {
            cookie.refuse(.malformed, "Expected visible ASCII and spaces, without semicolons.")
        }
    }
}

/// The members `method` and `body`.
extension ObjectReader {
    /// The body of a POST request; nil for GET.
    mutating func post() -> [UInt8]? {
        let method: RequestMethod = word("method") ?? .get
        let body = body()
        if method == .post { return body ?? [] }
        if body != nil {
            refuse("body", PostPatch.needsPost.code, PostPatch.needsPost.detail)
        }
        return nil
    }

    mutating func postPatch() -> PostPatch? {
        let method: RequestMethod? = word("method")
        let patch = PostPatch(method: method, body: change("body") { $0.body() })
        return patch == PostPatch() ? nil : patch
    }

    private mutating func body() -> [UInt8]? {
        object("body") { $0.bodyMembers() } ?? nil
    }

    private mutating func bodyMembers() -> [UInt8]? {
        let text = string("text")
        let base64 = string("base64")
        switch (present("text"), present("base64")) {
        case (nil, nil): refuse(.required, "Give the body as \"text\" or as \"base64\".")
        case (.some, .some): refuse(.forbidden, "Give the body once, as \"text\" or as \"base64\".")
        default: break
        }
        guard text != nil || base64 != nil else { return nil }
        guard let bytes = text.map({ Array($0.utf8) }) ?? base64.flatMap({ Base64.decode($0.utf8) }) else {
            refuse("base64", .malformed, "Expected base64 (RFC 4648, section 4).")
            return nil
        }
        guard bytes.count <= RequestFieldRules.maximumBodyBytes else {
            refuse(.tooLong, "Expected at most \(RequestFieldRules.maximumBodyBytes) bytes.")
            return nil
        }
        return bytes
    }
}
