import CLibcurl

/// An absolute URL with a supported scheme, parsed by libcurl, which also fetches it.
///
/// A check is useless if a second parser finds another host in the same URL (SSRF). The project therefore uses only one
/// parser, and refuses texts on which parsers are known to differ. This type does not check destinations.
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
    /// Percent-decoded; nil if the URL has no user.
    public let user: String?
    public let password: String?
    /// In lower case: a name in ASCII form, an IPv4 address as four numbers, or an IPv6 address in brackets.
    public let host: String
    /// The port in the URL, or the scheme's default.
    public let port: UInt16
    /// Percent-encoded, as sent; at least "/".
    public let path: String
    /// The URL without user, password and fragment. This text is fetched, stored and compared.
    public let text: String

    /// Parses an absolute URL. Non-ASCII bytes are percent-encoded, and a fragment is removed.
    ///
    /// - Parameter schemes: The allowed schemes.
    /// - Throws: ``URLParseError``.
    public init(_ text: String, schemes: Set<Scheme> = Scheme.web) throws(URLParseError) {
        try Self.refuseHostileText(text)
        guard !text.utf8.contains(UInt8(ascii: " ")) else { throw .forbiddenCharacter }
        let handle = URLHandle()
        try Self.setAbsolute(text, on: handle)
        try self.init(handle, schemes)
    }

    /// Creates a URL from its stored parts, without parsing and without user and password. The parts must come from a
    /// parsed URL.
    public init(scheme: Scheme, host: String, port: UInt16, path: String, text: String) {
        self.scheme = scheme
        user = nil
        password = nil
        self.host = host
        self.port = port
        self.path = path
        self.text = text
    }

    /// Resolves `reference`, for example a `Location` value (RFC 3986, section 5). Spaces are percent-encoded, because
    /// some origins send them.
    ///
    /// - Throws: ``URLParseError``.
    public func resolving(_ reference: String) throws(URLParseError) -> ParsedURL {
        try Self.refuseHostileText(reference)
        let encoded = reference.percentEncodingSpaces
        // A reference to the same document (RFC 3986, section 4.4). libcurl would remove the query.
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

/// Checks before libcurl parses the text.
extension ParsedURL {
    private static func setAbsolute(_ text: String, on handle: URLHandle) throws(URLParseError) {
        try checkAuthority(of: text)
        // Unsupported schemes are parsed too, so that the error can name them.
        try handle.set(CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS | CURLU_URLENCODE)
    }

    private static func refuseHostileText(_ text: String) throws(URLParseError) {
        guard text.utf8.count <= maximumLength else { throw .tooLong }
        let isHostile = text.unicodeScalars.contains { scalar in
            scalar == "\\" || isControl(scalar)
        }
        guard !isHostile else { throw .forbiddenCharacter }
    }

    /// Whether the scalar has the general category Cc. Unicode guarantees that this category never changes.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    /// Requires `://`. libcurl would accept one or three slashes like two, and read a missing scheme as `http`.
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
    /// Whether the text is a scheme with its colon (RFC 3986, section 3.1).
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

/// Additional rules for FTP and SFTP URLs.
extension ParsedURL {
    /// - Parameter decoded: The path as the server receives it. libcurl decodes a path before it splits it at slashes.
    static func requireFile(_ path: String, _ query: String?, _ decoded: String?) throws(URLParseError) {
        guard query == nil else { throw .queryOfFile }
        guard let decoded else { throw .malformed }
        // A line break would start another FTP command.
        guard !decoded.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .forbiddenCharacter }
        guard !decoded.hasSuffix("/") else { throw .folder }
        // libcurl reads a transfer type after a semicolon (RFC 1738, section 3.2.2), which would convert bytes or list
        // a folder.
        guard !path.utf8.contains(UInt8(ascii: ";")) else { throw .fileType }
    }

    /// Whether the connection begins in clear text and switches to TLS before the login (RFC 4217). This applies to
    /// `ftps` on port 21; on any other port TLS comes first.
    var upgradesToTLS: Bool { scheme == .ftps && port == 21 }

    /// The URL for libcurl. libcurl always begins `ftps` with TLS, so the explicit form uses the scheme `ftp`.
    var fetchedText: String { upgradesToTLS ? "ftp" + text.dropFirst(Scheme.ftps.rawValue.count) : text }
}
