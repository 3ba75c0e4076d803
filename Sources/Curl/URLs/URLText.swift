import URLs

/// The text of a URL before libcurl parses it, written as browsers write it (WHATWG URL): without surrounding white
/// space and dot segments, and with characters percent-encoded that a request cannot contain.
///
/// libcurl converts the host (IDNA). Tabs and line breaks inside are refused, where browsers remove them:
/// `java\nscript:` and the like pass checks that read the text as it is.
struct URLText {
    /// Scheme, colon and the two slashes.
    let head: Substring
    /// User information, host and port.
    let authority: String
    /// Percent-encoded, without dot segments.
    let path: String
    /// Percent-encoded. An empty query is not the same as none: its question mark is sent.
    let query: String?

    var text: String { "\(head)\(authority)\(path)\(query.map { "?\($0)" } ?? "")" }

    /// Splits an absolute URL.
    ///
    /// - Throws: ``URLParseError/notAbsolute`` if the text has no scheme, `://` and host. libcurl would accept one or
    ///   three slashes like two, and read a missing scheme as `http`.
    init(absolute text: String) throws(URLParseError) {
        try self.init(trimmed: Self.trimmed(text))
    }

    private init(trimmed text: String) throws(URLParseError) {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8),
            text[...colon].isScheme
        else { throw .notAbsolute }
        head = text[..<bytes.index(colon, offsetBy: 3)]
        let end = bytes[head.endIndex...].firstIndex { "/\\?#".utf8.contains($0) } ?? bytes.endIndex
        // Some parsers end the authority at a backslash, others do not.
        guard end == bytes.endIndex || bytes[end] != UInt8(ascii: "\\") else { throw .forbiddenCharacter }
        let authority = text[head.endIndex..<end]
        let scheme = head.dropLast("://".count).lowercased()
        guard !authority.isEmpty || scheme == "file" else { throw .notAbsolute }
        self.authority = try authority.isEmpty ? "" : URLAuthority(authority).text
        let path: Substring.UTF8View
        (path, query) = Self.split(text[end...])
        let isWeb = URLScheme(rawValue: scheme).map { URLScheme.web.contains($0) } ?? true
        self.path = try Self.encodedPath(path, isWeb: isWeb)
        try requireLength()
    }

    /// Resolves a reference to an http or https URL, for example a `Location` value (RFC 3986, section 5.2).
    ///
    /// - Returns: nil if it is a reference to `base` itself.
    init?(_ reference: String, relativeTo base: DownloadURL) throws(URLParseError) {
        let text = try Self.trimmed(reference)
        if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[...colon].isScheme {
            self = try URLText(trimmed: text)
            return
        }
        let slashes = text.utf8.prefix { "/\\".utf8.contains($0) }
        if slashes.count >= 2 {
            guard !slashes.prefix(2).contains(UInt8(ascii: "\\")) else { throw .forbiddenCharacter }
            self = try URLText(trimmed: "\(base.scheme):\(text)")
            return
        }
        let (path, query) = Self.split(text[...])
        // A reference to the same document (section 4.4).
        if path.isEmpty, query == nil { return nil }
        let target = base.target.utf8.prefix { $0 != UInt8(ascii: "?") }
        head = base.text.prefix(base.scheme.utf8.count + "://".count)
        authority = String(base.text.dropFirst(head.count).prefix { $0 != "/" })
        if path.isEmpty {
            self.path = String(Substring(target))
        } else if slashes.isEmpty {
            let folder = Substring(target[...(target.lastIndex(of: UInt8(ascii: "/")) ?? target.startIndex)])
            self.path = try Self.encodedPath(Substring("\(folder)\(Substring(path))").utf8, isWeb: true)
        } else {
            self.path = try Self.encodedPath(path, isWeb: true)
        }
        self.query = query
        try requireLength()
    }

    private func requireLength() throws(URLParseError) {
        guard text.utf8.count <= GivenURL.maximumLength else { throw .tooLong }
    }

    /// Removes surrounding white space, and refuses control characters.
    private static func trimmed(_ text: String) throws(URLParseError) -> String {
        guard text.utf8.count <= GivenURL.maximumLength else { throw .tooLong }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let bytes = text.utf8
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        let inner = text[first...last]
        // The general category Cc. Unicode guarantees that it never changes.
        let isHostile = inner.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
        guard !isHostile else { throw .forbiddenCharacter }
        return String(inner)
    }

    /// Splits what follows the authority. The fragment is not sent, so it is removed.
    private static func split(_ text: Substring) -> (path: Substring.UTF8View, query: String?) {
        let whole = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        let path = whole.prefix { $0 != UInt8(ascii: "?") }
        let query = whole[path.endIndex...]
        return (path, query.isEmpty ? nil : query.dropFirst().percentEncoded(inQuery))
    }
}

/// The path (WHATWG URL, section 4.4, path state).
extension URLText {
    /// The path percent-encode set (WHATWG URL, section 1.3), without `?` and `#`.
    fileprivate static let inPath = Set("\"<>^`{} ".utf8)
    /// The query percent-encode set, without `#`. Browsers also encode an apostrophe; other clients send it as it is,
    /// and a signature of the URL may cover it.
    fileprivate static let inQuery = Set("\"<> ".utf8)

    /// Encodes a path and removes its dot segments.
    ///
    /// - Parameter isWeb: Whether a backslash is a slash, as in browsers. It is part of a name on other servers, where
    ///   it is refused: `%5C` is clear.
    private static func encodedPath(_ path: Substring.UTF8View, isWeb: Bool) throws(URLParseError) -> String {
        guard path.contains(UInt8(ascii: "\\")) else { return withoutDotSegments(path.percentEncoded(inPath)) }
        guard isWeb else { throw .forbiddenCharacter }
        let slashes = path.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
        return withoutDotSegments(Substring(decoding: slashes, as: UTF8.self).utf8.percentEncoded(inPath))
    }

    private static func withoutDotSegments(_ path: String) -> String {
        let segments = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard segments.contains(where: { $0.dots > 0 }) else { return path }
        var kept: [Substring] = []
        for (index, segment) in segments.enumerated() {
            if segment.dots == 2 { _ = kept.popLast() }
            if segment.dots == 0 {
                kept.append(Substring(segment))
            } else if index == segments.count - 1 {
                // The path names a folder.
                kept.append("")
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}

extension Substring.UTF8View {
    /// 1 for a segment that is a dot, 2 for two dots, also in their percent-encoded form; 0 for any other segment.
    fileprivate var dots: Int {
        guard count <= "%2e%2e".utf8.count, first == UInt8(ascii: ".") || first == UInt8(ascii: "%") else { return 0 }
        switch Substring(self).lowercased() {
        case ".", "%2e": return 1
        case "..", ".%2e", "%2e.", "%2e%2e": return 2
        default: return 0
        }
    }

    /// The text with the `reserved` bytes and those outside ASCII percent-encoded. Text that is percent-encoded already
    /// stays as it is, also in lower case.
    func percentEncoded(_ reserved: Set<UInt8>) -> String {
        guard contains(where: { $0 >= 0x80 || reserved.contains($0) }) else { return String(Substring(self)) }
        return String(
            decoding: flatMap { $0 >= 0x80 || reserved.contains($0) ? $0.percentEncoded : [$0] },
            as: UTF8.self
        )
    }
}

extension UInt8 {
    /// The byte as `%`, and two hexadecimal digits in upper case (RFC 3986, section 2.1).
    var percentEncoded: [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(self >> 4)], digits[Int(self & 15)]]
    }
}

extension Substring {
    /// Whether the text is a scheme with its colon (RFC 3986, section 3.1).
    fileprivate var isScheme: Bool {
        guard let first = utf8.first, first.isLetter, utf8.last == UInt8(ascii: ":") else { return false }
        return utf8.dropLast().allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
