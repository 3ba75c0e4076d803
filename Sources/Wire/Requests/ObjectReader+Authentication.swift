import Model

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

    /// It is replaced as a whole: what is left of another scheme would mean nothing.
    mutating func authenticationChange(
        _ list: inout ViolationList
    ) -> DownloadEdit.Change<OriginAuthentication>? {
        change("authentication") { $0.authentication(&list) }
    }

    /// A user's name ends at the first colon (RFC 7617, section 2).
    private mutating func username(_ list: inout ViolationList) -> String? {
        guard let text = secret("username", upTo: Self.maximumNameBytes, &list) else { return nil }
        guard text.utf8.contains(UInt8(ascii: ":")) else { return text }
        list.add(pointer.appending("username"), .malformed, "A user's name has no colon.")
        return nil
    }

    private mutating func secret(
        _ name: String,
        upTo limit: Int,
        _ list: inout ViolationList
    ) -> String? {
        guard let text = string(name, &list) else { return nil }
        if text.utf8.count > limit {
            list.add(pointer.appending(name), .tooLong, "It has at most \(limit) bytes.")
        } else if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            list.add(pointer.appending(name), .malformed, "It has no control characters.")
        }
        return text
    }

    /// Laxer than the token of RFC 6750, section 2.1, since services do hand out others.
    private mutating func token(_ list: inout ViolationList) -> String? {
        guard let text = secret("token", upTo: Self.maximumSecretBytes, &list) else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) { return text }
        list.add(pointer.appending("token"), .malformed, "A token is of visible ASCII.")
        return nil
    }
}
