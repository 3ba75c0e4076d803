import CLibcurl

/// An absolute URL of a supported scheme, parsed by the library that will also fetch it.
///
/// Two parsers that differ on where a host ends defeat any check (SSRF), so there is one, and what parsers are known to
/// differ on is refused. Destinations are not checked here.
public struct ParsedURL: Hashable, Sendable {
    public enum Scheme: String, CaseIterable, Hashable, Sendable {
        case http
        case https
        case ftp
        case ftps
        case sftp

        public static let web: Set<Self> = [.http, .https]
        public static let all = Set(allCases)
    }

    public static let maximumLength = 8 << 10

    public let scheme: Scheme
    /// Percent-decoded; nil if the URL has none.
    public let user: String?
    public let password: String?
    /// In lower case; a name in its ASCII form, an IPv4 address as four numbers, an IPv6 address in brackets.
    public let host: String
    /// The one in the URL, else the scheme's.
    public let port: UInt16
    /// Percent-encoded, as it is sent; at least "/".
    public let path: String
    /// The URL without user, password and fragment: what is fetched, stored and compared.
    public let text: String

    /// Parses an absolute URL. Bytes outside ASCII are percent-encoded; a fragment is dropped.
    ///
    /// - Parameter schemes: The allowed schemes.
    public init(_ text: String, schemes: Set<Scheme> = Scheme.web) throws(URLParseError) {
        try Self.refuseHostileText(text)
        guard !text.utf8.contains(UInt8(ascii: " ")) else { throw .forbiddenCharacter }
        let handle = URLHandle()
        try Self.setAbsolute(text, on: handle)
        try self.init(handle, schemes)
    }

    /// Takes the parts of one that was parsed before, so that a URL is not parsed anew for each request. It has no user
    /// and no password.
    public init(scheme: Scheme, host: String, port: UInt16, path: String, text: String) {
        self.scheme = scheme
        user = nil
        password = nil
        self.host = host
        self.port = port
        self.path = path
        self.text = text
    }

    /// Follows `reference`, as the value of a `Location` field (RFC 3986, section 5). Spaces are encoded,
    /// since origins do send them.
    public func resolving(_ reference: String) throws(URLParseError) -> ParsedURL {
        try Self.refuseHostileText(reference)
        let encoded = reference.percentEncodingSpaces
        // The same document (RFC 3986, section 4.4), for which libcurl would drop the query.
        if encoded.isEmpty || encoded.hasPrefix("#") { return try ParsedURL(text) }
        let handle = URLHandle()
        if encoded.beginsWithScheme {
            try Self.setAbsolute(encoded, on: handle)
        } else {
            if encoded.hasPrefix("//") { try Self.checkAuthority(of: "\(scheme.rawValue):\(encoded)") }
            try handle.set(CURLUPART_URL, text, CURLU_PATH_AS_IS)
            try handle.set(CURLUPART_URL, encoded, CURLU_URLENCODE)
        }
        return try ParsedURL(handle, Scheme.web)
    }

    private init(_ handle: URLHandle, _ schemes: Set<Scheme>) throws(URLParseError) {
        let name = try handle.get(CURLUPART_SCHEME) ?? ""
        guard let scheme = Scheme(rawValue: name), schemes.contains(scheme) else { throw .unsupportedScheme(name) }
        guard let host = try handle.get(CURLUPART_HOST, CURLU_PUNYCODE), !host.isEmpty else { throw .badHost }
        guard let port = UInt16(try handle.get(CURLUPART_PORT, CURLU_DEFAULT_PORT) ?? ""), port > 0 else {
            throw .badPort
        }
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port
        user = try handle.get(CURLUPART_USER, CURLU_URLDECODE)
        password = try handle.get(CURLUPART_PASSWORD, CURLU_URLDECODE)
        path = try handle.get(CURLUPART_PATH) ?? "/"
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_FRAGMENT] { try handle.set(part, nil) }
        try handle.set(CURLUPART_HOST, self.host)
        text = try handle.get(CURLUPART_URL, CURLU_NO_DEFAULT_PORT) ?? ""
        guard !scheme.traits.queries else { return }
        let query = try handle.get(CURLUPART_QUERY)
        try Self.requireFile(path, query, try handle.get(CURLUPART_PATH, CURLU_URLDECODE))
    }
}

/// The checks before libcurl parses the text.
extension ParsedURL {
    private static func setAbsolute(_ text: String, on handle: URLHandle) throws(URLParseError) {
        try checkAuthority(of: text)
        // Other schemes are parsed too, so that the error can name them.
        try handle.set(CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS | CURLU_URLENCODE)
    }

    private static func refuseHostileText(_ text: String) throws(URLParseError) {
        guard text.utf8.count <= maximumLength else { throw .tooLong }
        let isHostile = text.unicodeScalars.contains { scalar in
            scalar == "\\" || isControl(scalar)
        }
        guard !isHostile else { throw .forbiddenCharacter }
    }

    /// The scalars of the general category Cc, which Unicode will never add to.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    /// libcurl would treat one slash or three as two, and a missing scheme as `http`.
    private static func checkAuthority(of text: String) throws(URLParseError) {
        let parts = text.unicodeScalars.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            .map(Substring.init)
        guard parts.count == 3, String(parts[0]).isScheme, parts[1].isEmpty else {
            throw .notAbsolute
        }
        let authority = parts[2].unicodeScalars.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.isEmpty || parts[0].lowercased() == "file:" else { throw .notAbsolute }
        guard authority.count(where: { $0 == "@" }) <= 1 else { throw .ambiguousAuthority }
    }
}

extension String {
    /// A scheme with its colon (RFC 3986, section 3.1).
    fileprivate var isScheme: Bool {
        guard let first = utf8.first, last == ":", Character(Unicode.Scalar(first)).isLetter else { return false }
        return dropLast().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }

    fileprivate var beginsWithScheme: Bool {
        guard let colon = firstIndex(of: ":") else { return false }
        return String(self[...colon]).isScheme
    }

    fileprivate var percentEncodingSpaces: String {
        split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20")
    }
}

/// The extra rules of FTP and SFTP URLs, and how they are fetched.
extension ParsedURL {
    /// - Parameter decoded: The path as the server will get it; libcurl decodes it before it looks for slashes.
    static func requireFile(_ path: String, _ query: String?, _ decoded: String?) throws(URLParseError) {
        guard query == nil else { throw .queryOfFile }
        guard let decoded else { throw .malformed }
        // A line break would begin another command.
        guard !decoded.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .forbiddenCharacter }
        guard !decoded.hasSuffix("/") else { throw .folder }
        // After it libcurl reads a type (RFC 1738, section 3.2.2): to change bytes in transfer, or to list a folder.
        guard !path.utf8.contains(UInt8(ascii: ";")) else { throw .fileType }
    }

    /// Whether the connection begins in clear text and turns to TLS before anything is said (RFC 4217): `ftps` at the
    /// port of `ftp`. At any other port TLS comes first.
    var upgradesToTLS: Bool { scheme == .ftps && port == 21 }

    /// The URL for libcurl, whose `ftps` always begins with TLS.
    var fetchedText: String { upgradesToTLS ? "ftp" + text.dropFirst(Scheme.ftps.rawValue.count) : text }
}
