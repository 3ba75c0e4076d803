public import Core
public import HTTPFields

/// The cookies of one redirect chain (RFC 6265): the client's, and those that responses set.
///
/// All are host-only: a `Domain` attribute does not extend a cookie to other hosts. Hosts with different ports are
/// different, except for the default ports of http and https. No cookie outlives the chain.
public struct CookieJar: Sendable {
    fileprivate struct Entry {
        let name: String
        let value: String
        let setter: DownloadURL
        /// Whether the client set the cookie. It is then sent only to the origin of the source URL.
        let isClients: Bool
        let path: String
        let isSecure: Bool
    }

    private static let maximumCount = 128
    private static let maximumBytes = 4096

    private var entries: [Entry]

    /// - Parameter source: The URL whose origin receives the client's cookies.
    public init(_ cookies: [RequestCredentials.Cookie] = [], for source: DownloadURL) {
        entries = cookies.map { cookie in
            Entry(
                name: cookie.name,
                value: cookie.value,
                setter: source,
                isClients: true,
                path: "/",
                isSecure: false
            )
        }
    }

    /// The value of the `Cookie` field for a request to `url`; nil if there is no cookie.
    public func fieldValue(for url: DownloadURL) -> String? {
        let sent = entries.filter { $0.isSent(to: url) }
        return sent.isEmpty ? nil : sent.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    /// Stores the cookie of a `Set-Cookie` field in a response of `url` (section 5.2). An invalid field is ignored.
    public mutating func store(_ field: String, from url: DownloadURL, now: HTTPDate) {
        let parts = field.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmed }
        guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return }
        let name = pair[..<equals].trimmed
        let value = pair[pair.index(after: equals)...].trimmed
        guard RequestFieldRules.isFieldName(name), value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
            name.utf8.count + value.utf8.count <= Self.maximumBytes
        else { return }
        let attributes = Attributes(parts.dropFirst(), now: now)
        if let domain = attributes.domain, !url.host.isWithin(domain) { return }
        if attributes.isSecure, url.scheme != "https" { return }
        let path = attributes.path ?? url.path.directory
        entries.removeAll { $0.name == name && $0.isReplaced(by: url, path: path) }
        guard !attributes.isExpired, entries.count < Self.maximumCount else { return }
        entries.append(
            Entry(name: name, value: value, setter: url, isClients: false, path: path, isSecure: attributes.isSecure)
        )
    }

    private struct Attributes {
        var path: String?
        var domain: String?
        var isSecure = false
        var isExpired = false

        init(_ parts: some Sequence<String>, now: HTTPDate) {
            var expiry: Bool?
            var age: Bool?
            for part in parts {
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let value = pair.count > 1 ? pair[1].trimmed : ""
                switch (pair.first ?? "").trimmed.lowercasedASCII {
                case "path": path = value.hasPrefix("/") ? value : nil
                case "domain": domain = value.isEmpty ? nil : String(value.drop { $0 == "." }).lowercasedASCII
                case "secure": isSecure = true
                case "max-age": age = Int64(value).map { $0 <= 0 } ?? age
                // Servers often write dates with hyphens (section 5.1.1).
                case "expires":
                    let date = HTTPDate(value, now: now) ?? HTTPDate(value.withoutHyphens, now: now)
                    expiry = date.map { $0 <= now } ?? expiry
                default: break
                }
            }
            // Max-Age takes precedence over Expires (section 5.3, step 3).
            isExpired = age ?? expiry ?? false
        }
    }
}

extension CookieJar.Entry {
    /// Whether a new cookie of the same name replaces this one (section 5.3, step 11).
    fileprivate func isReplaced(by url: DownloadURL, path: String) -> Bool {
        isClients ? url.isSameOrigin(as: setter) : url.isSameHost(as: setter) && self.path == path
    }

    fileprivate func isSent(to url: DownloadURL) -> Bool {
        if isClients { return url.isSameOrigin(as: setter) }
        guard url.isSameHost(as: setter), !isSecure || url.scheme == "https" else { return false }
        // Path match (section 5.1.4).
        guard url.path.hasPrefix(path) else { return false }
        return url.path.utf8.count == path.utf8.count || path.hasSuffix("/")
            || url.path.utf8.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
    }
}

extension DownloadURL {
    fileprivate func isSameHost(as other: Self) -> Bool {
        host == other.host && (port == other.port || (hasStandardPort && other.hasStandardPort))
    }

    private var hasStandardPort: Bool { port == (scheme == "https" ? 443 : 80) }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        let rest = drop { $0 == " " || $0 == "\t" }
        return String(rest.dropLast(rest.reversed().prefix { $0 == " " || $0 == "\t" }.count))
    }
}

extension String {
    fileprivate var withoutHyphens: String { String(map { $0 == "-" ? " " : $0 }) }

    /// The default path of a cookie (section 5.1.4).
    fileprivate var directory: String {
        guard let slash = lastIndex(of: "/"), slash > startIndex else { return "/" }
        return String(self[..<slash])
    }

    /// Whether the host is `domain` or a subdomain of it (section 5.1.3). An IP address has no subdomains.
    fileprivate func isWithin(_ domain: String) -> Bool {
        self == domain || (hasSuffix(".\(domain)") && IPAddress(urlHost: self) == nil)
    }
}
