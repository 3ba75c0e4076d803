import CLibcurl
public import URLs

/// Parses URLs with libcurl's parser, which also fetches them.
///
/// A check is useless if a second parser finds another host in the same URL (SSRF). The project therefore uses only one
/// parser, and refuses texts on which parsers are known to differ. Destinations are not checked here.
extension GivenURL {
    /// The maximum length in bytes, percent-encoded.
    public static let maximumLength = 8 << 10

    /// Parses an absolute URL as browsers do: surrounding white space, dot segments and a fragment are removed, spaces
    /// and non-ASCII characters are percent-encoded, and an internationalized host gets its ASCII form (`xn--`). An
    /// apostrophe stays as it is, unlike in browsers.
    ///
    /// - Parameter schemes: The allowed schemes.
    /// - Throws: ``URLParseError``.
    public init(parsing text: String, schemes: Set<URLScheme> = URLScheme.web) throws(URLParseError) {
        try self.init(absolute: URLText(absolute: text), schemes)
    }

    /// Resolves `reference`, for example a `Location` value (RFC 3986, section 5). It is encoded as an absolute URL is,
    /// because some origins send spaces and non-ASCII bytes.
    ///
    /// - Throws: ``URLParseError``.
    public init(parsing reference: String, relativeTo base: DownloadURL) throws(URLParseError) {
        guard base.isComplete else { throw .malformed }
        guard let url = try URLText(reference, relativeTo: base) else {
            try self.init(parsing: base.text)
            return
        }
        try self.init(absolute: url, URLScheme.web)
    }

    private init(absolute url: URLText, _ schemes: Set<URLScheme>) throws(URLParseError) {
        let handle = URLHandle()
        // Unsupported schemes are parsed too, so that the error can name them.
        try handle.set(CURLUPART_URL, url.text, CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS)
        let name = try handle.get(CURLUPART_SCHEME) ?? ""
        guard let scheme = URLScheme(rawValue: name), schemes.contains(scheme) else { throw .unsupportedScheme(name) }
        let host = try handle.asciiHost()
        guard let port = UInt16(try handle.get(CURLUPART_PORT, CURLU_DEFAULT_PORT) ?? ""), port > 0 else {
            throw .badPort
        }
        let user = try handle.get(CURLUPART_USER, CURLU_URLDECODE)
        let password = try handle.get(CURLUPART_PASSWORD, CURLU_URLDECODE)
        guard ![user, password].contains(where: { $0?.utf8.contains(0x7F) == true }) else {
            throw .forbiddenCharacter
        }
        let path = try handle.get(CURLUPART_PATH) ?? "/"
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_FRAGMENT, CURLUPART_QUERY] {
            try handle.set(part, nil)
        }
        try handle.set(CURLUPART_HOST, host)
        // Versions of libcurl differ in whether they keep the question mark of an empty query.
        let text = (try handle.get(CURLUPART_URL, CURLU_NO_DEFAULT_PORT) ?? "") + (url.query.map { "?\($0)" } ?? "")
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        if !scheme.traits.queries {
            try DownloadURL.requireFile(path, url.query, try handle.get(CURLUPART_PATH, CURLU_URLDECODE))
        }
        self.init(
            url: DownloadURL(text: text, scheme: scheme.rawValue, host: host, port: port, path: path),
            user: user,
            password: password
        )
    }
}

/// The host.
extension URLHandle {
    /// The host in lower case; an internationalized name in its ASCII form, as browsers convert it (UTS 46,
    /// nontransitional, by libidn2).
    ///
    /// - Throws: ``URLParseError/badHost``, ``URLParseError/badName`` or ``URLParseError/noIDNA``.
    fileprivate func asciiHost() throws(URLParseError) -> String {
        guard let raw = try get(CURLUPART_HOST), !raw.isEmpty else { throw .badHost }
        guard raw.utf8.first != UInt8(ascii: "[") else { return raw.lowercased() }
        guard !raw.utf8.allSatisfy({ $0 < 0x80 }) else {
            guard raw.isHostName else { throw .badHost }
            return raw.lowercased()
        }
        guard CurlLibrary.hasIDNA else { throw .noIDNA }
        // libcurl reports any failure of libidn2 as "out of memory".
        guard let name = Self.ascii(raw), name.isHostName else { throw .badName }
        // libcurl converts a name that IDNA refuses once more by the rules of 2003. They write these characters as
        // others, which is the name of another host.
        if let other = raw.withoutDeviations {
            guard Self.ascii(other) != name else { throw .badName }
        }
        // Digits of other scripts may have become an IPv4 address, which libcurl recognises only in a URL.
        let url = URLHandle()
        try url.set(CURLUPART_URL, "http://\(name)/")
        return try url.get(CURLUPART_HOST) ?? name
    }

    private static func ascii(_ host: String) -> String? {
        let url = URLHandle()
        guard (try? url.set(CURLUPART_HOST, host)) != nil else { return nil }
        return try? url.get(CURLUPART_HOST, CURLU_PUNYCODE)?.lowercased()
    }
}

extension String {
    /// Whether the text has only the characters of a host name, at most 253 of them and a final dot, and no empty label
    /// but the last.
    ///
    /// Characters of other scripts can become a slash, an at sign or a colon, which would begin another part of the
    /// URL.
    fileprivate var isHostName: Bool {
        let labels = split(separator: ".", omittingEmptySubsequences: false)
        let length = utf8.count - (labels.last == "" ? 1 : 0)
        return labels.first != "" && utf8.allSatisfy(\.isInHostName) && length <= 253
            && labels.dropLast().allSatisfy { !$0.isEmpty }
    }

    /// The text with the characters that UTS 46 (section 6, deviations) and the rules of 2003 convert differently, as
    /// those rules write them; nil if it has none.
    fileprivate var withoutDeviations: String? {
        let written: [Unicode.Scalar: String] = [
            "\u{DF}": "ss", "\u{3C2}": "\u{3C3}", "\u{200C}": "", "\u{200D}": "",
        ]
        guard unicodeScalars.contains(where: { written[$0] != nil }) else { return nil }
        return unicodeScalars.map { written[$0] ?? String($0) }.joined()
    }
}

/// Additional rules for FTP and SFTP URLs.
extension DownloadURL {
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
    var upgradesToTLS: Bool { supportedScheme == .ftps && port == 21 }

    /// The path and the query.
    var target: String {
        let rest = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    /// The URL for libcurl. libcurl always begins `ftps` with TLS, so the explicit form uses the scheme `ftp`.
    var fetchedText: String { upgradesToTLS ? "ftp" + text.dropFirst(URLScheme.ftps.rawValue.count) : text }
}
