import Core

/// Encodes credentials as bytes. Each record has three UTF-8 texts: kind, name and value. Each text follows its length,
/// a big-endian 32-bit integer.
enum CredentialCoder {
    private enum Kind: String {
        case header, user, password, basic, digest, bearer, cookie, body, proxy
    }

    private typealias Record = (kind: Kind, name: [UInt8], value: [UInt8])

    static func encode(_ credentials: RequestCredentials) -> [UInt8] {
        records(of: credentials).flatMap { record in
            [Array(record.kind.rawValue.utf8), record.name, record.value].flatMap(withLength)
        }
    }

    private static func records(of credentials: RequestCredentials) -> [Record] {
        var records: [Record] = []
        func add(_ kind: Kind, _ name: String, _ value: String) {
            records.append((kind, Array(name.utf8), Array(value.utf8)))
        }
        if let user = credentials.user { add(.user, "", user) }
        if let password = credentials.password { add(.password, "", password) }
        switch credentials.authentication {
        case .basic(let username, let password): add(.basic, username, password)
        case .digest(let username, let password): add(.digest, username, password)
        case .bearer(let token): add(.bearer, "", token)
        case nil: break
        }
        for header in credentials.headers { add(.header, header.name, header.value) }
        for cookie in credentials.cookies { add(.cookie, cookie.name, cookie.value) }
        if let proxy = credentials.proxy { add(.proxy, "", proxy.text) }
        if let body = credentials.postBody { records.append((.body, [], body)) }
        return records
    }

    private static func withLength(_ bytes: [UInt8]) -> [UInt8] {
        let count = UInt32(bytes.count)
        return [UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)] + bytes
    }

    static func decode(_ bytes: [UInt8]) -> RequestCredentials? {
        guard let parts = parts(of: bytes), parts.count.isMultiple(of: 3) else { return nil }
        var credentials = RequestCredentials()
        for index in stride(from: 0, to: parts.count, by: 3) {
            guard let kind = Kind(rawValue: text(parts[index])) else { return nil }
            guard add((kind, parts[index + 1], parts[index + 2]), to: &credentials) else { return nil }
        }
        return credentials
    }

    /// - Returns: false if the value is not valid for its kind.
    private static func add(_ record: Record, to credentials: inout RequestCredentials) -> Bool {
        let (name, value) = (text(record.name), text(record.value))
        switch record.kind {
        case .user: credentials.user = value
        case .password: credentials.password = value
        case .basic: credentials.authentication = .basic(username: name, password: value)
        case .digest: credentials.authentication = .digest(username: name, password: value)
        case .bearer: credentials.authentication = .bearer(token: value)
        case .header: credentials.headers.append(RequestCredentials.Header(name: name, value: value))
        case .cookie: credentials.cookies.append(RequestCredentials.Cookie(name: name, value: value))
        case .body: credentials.postBody = record.value
        case .proxy:
            credentials.proxy = ProxyChoice(value)
            return credentials.proxy != nil
        }
        return true
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func parts(of bytes: [UInt8]) -> [[UInt8]]? {
        var parts: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= 4 else { return nil }
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= count else { return nil }
            parts.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return parts
    }
}
