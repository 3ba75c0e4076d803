import HTTPFields

/// The URL of a proxy: `scheme://[user[:password]@]host:port`.
///
/// The grammar is restricted, so that another parser cannot find a different host: the host has only letters, digits,
/// dots, hyphens and underscores, or is an IPv6 address in brackets, and the port is required. User name and password
/// are percent-encoded.
public struct ProxyServer: Hashable, Sendable {
    public enum Scheme: String, CaseIterable, Hashable, Sendable {
        /// HTTP: absolute URLs for http, and CONNECT for https (RFC 9110, section 9.3.6).
        case http
        /// Like `http`, with TLS to the proxy.
        case https
        /// SOCKS 5 (RFC 1928). The service resolves host names.
        case socks5
        /// SOCKS 5. The proxy resolves host names.
        case socks5h
    }

    public let scheme: Scheme
    /// The host in lower case; an IPv6 address has brackets.
    public let host: String
    public let port: UInt16
    public let user: String?
    public let password: String?
    /// The text as given. It may contain a password.
    public let text: String

    public init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), let scheme = Scheme(rawValue: text[..<colon].lowercased()) else {
            return nil
        }
        var rest = text[colon...]
        guard rest.hasPrefix("://"), text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        rest = rest.dropFirst(3)
        if rest.last == "/" { rest.removeLast() }
        let halves = rest.split(separator: "@", omittingEmptySubsequences: false)
        guard let place = halves.last, halves.count <= 2, let (host, port) = Self.place(String(place)) else {
            return nil
        }
        if halves.count == 2 {
            guard let (user, password) = Self.userInformation(String(halves[0])) else { return nil }
            (self.user, self.password) = (user, password)
        } else {
            (user, password) = (nil, nil)
        }
        (self.scheme, self.host, self.port, self.text) = (scheme, host, port, text)
    }

    /// The URL without user name and password, which may be shown.
    public var shown: String { "\(scheme.rawValue)://\(host):\(port)" }

    /// The scheme by which the destination policy validates the proxy.
    public var policyScheme: URLScheme { scheme == .https ? .https : .http }

    private static func place(_ text: String) -> (host: String, port: UInt16)? {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let host = text[..<colon].lowercased()
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit), let port = UInt16(digits), port > 0 else {
            return nil
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            guard case .v6? = IPAddress(String(host.dropFirst().dropLast())) else { return nil }
            return (host, port)
        }
        let isName =
            !host.isEmpty && host.utf8.count <= 253
            && host.utf8.allSatisfy { $0.isASCIIDigit || ($0 >= 0x61 && $0 <= 0x7A) || "-._".utf8.contains($0) }
        return isName ? (host, port) : nil
    }

    private static func userInformation(_ text: String) -> (user: String, password: String)? {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { half in
            PercentEncoding.decode(half.utf8)
        }
        // The user name ends at the first colon, and C strings end at a NUL.
        guard !text.utf8.contains(where: { "/?#".utf8.contains($0) }), !halves[0].contains(UInt8(ascii: ":")),
            halves.allSatisfy({ half in half.count <= 255 && half.allSatisfy { $0 >= 0x20 && $0 != 0x7F } })
        else { return nil }
        return (
            String(decoding: halves[0], as: UTF8.self),
            halves.count > 1 ? String(decoding: halves[1], as: UTF8.self) : ""
        )
    }
}

extension ProxyServer: CustomStringConvertible {
    /// The URL without user name and password, so that they are never logged.
    public var description: String { shown }
}
