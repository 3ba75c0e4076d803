/// The text of a URL before libcurl parses it, written as browsers write it (WHATWG URL): without surrounding white
/// space, and with characters percent-encoded that a request cannot contain.
///
/// The host stays as it is: libcurl converts it (IDNA). Tabs and line breaks inside are refused, where browsers remove
/// them: `java\nscript:` and the like pass checks that read the text as it is.
struct URLText {
    /// Scheme, colon and the two slashes; empty in a reference without scheme and host.
    private(set) var head: Substring = ""
    /// User information, host and port.
    private(set) var authority = ""
    /// Path, query and fragment, percent-encoded.
    private(set) var rest = ""

    var text: String { "\(head)\(authority)\(rest)" }
    /// Whether this is a reference without scheme and host.
    var isRelative: Bool { head.isEmpty }

    /// Splits an absolute URL.
    ///
    /// - Throws: ``URLParseError/notAbsolute`` if the text has no scheme, `://` and host. libcurl would accept one or
    ///   three slashes like two, and read a missing scheme as `http`.
    init(absolute text: String) throws(URLParseError) {
        let text = try Self.trimmed(text)
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8),
            text[...colon].isScheme
        else { throw .notAbsolute }
        head = text[..<bytes.index(colon, offsetBy: 3)]
        let end = bytes[head.endIndex...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        let authority = text[head.endIndex..<end]
        guard !authority.isEmpty || head.lowercased() == "file://" else { throw .notAbsolute }
        guard !authority.utf8.contains(UInt8(ascii: " ")) else { throw .forbiddenCharacter }
        guard authority.utf8.count(where: { $0 == UInt8(ascii: "@") }) <= 1 else { throw .ambiguousAuthority }
        self.authority = Self.encodedUser(authority)
        rest = Self.encoded(text[end...])
        try requireLength()
    }

    /// Reads a reference, for example a `Location` value. It is resolved against a URL with `scheme`.
    static func reference(_ text: String, scheme: String) throws(URLParseError) -> URLText {
        let text = try trimmed(text)
        if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[...colon].isScheme {
            return try URLText(absolute: text)
        }
        if text.utf8.starts(with: "//".utf8) { return try URLText(absolute: "\(scheme):\(text)") }
        let reference = URLText(rest: encoded(text[...]))
        try reference.requireLength()
        return reference
    }

    private init(rest: String) {
        self.rest = rest
    }

    private func requireLength() throws(URLParseError) {
        guard text.utf8.count <= ParsedURL.maximumLength else { throw .tooLong }
    }

    /// Removes surrounding white space, and refuses characters on which parsers differ.
    private static func trimmed(_ text: String) throws(URLParseError) -> String {
        guard text.utf8.count <= ParsedURL.maximumLength else { throw .tooLong }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let bytes = text.utf8
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        let inner = text[first...last]
        // The general category Cc. Unicode guarantees that it never changes.
        let isHostile = inner.unicodeScalars.contains { scalar in
            scalar == "\\" || scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        }
        guard !isHostile else { throw .forbiddenCharacter }
        return String(inner)
    }
}

/// Percent-encoding. Text that is percent-encoded already stays as it is, also in lower case.
extension URLText {
    /// The path percent-encode set (WHATWG URL, section 1.3), without `?` and `#`.
    private static let inPath = Set("\"<>^`{} ".utf8)
    /// The special-query percent-encode set, without `#`.
    private static let inQuery = Set("\"'<> ".utf8)

    /// Encodes path and query, and removes the fragment, which is not sent.
    private static func encoded(_ text: Substring) -> String {
        let whole = text.utf8.prefix { $0 != UInt8(ascii: "#") }
        let path = whole.prefix { $0 != UInt8(ascii: "?") }
        return encoded(path, inPath) + encoded(whole[path.endIndex...], inQuery)
    }

    /// Encodes the user information. The host is left to libcurl.
    private static func encodedUser(_ authority: Substring) -> String {
        guard let at = authority.utf8.firstIndex(of: UInt8(ascii: "@")) else { return String(authority) }
        return encoded(authority.utf8[..<at], inPath) + authority[at...]
    }

    private static func encoded(_ bytes: Substring.UTF8View, _ reserved: Set<UInt8>) -> String {
        guard bytes.contains(where: { $0 >= 0x80 || reserved.contains($0) }) else {
            return String(Substring(bytes))
        }
        return String(
            decoding: bytes.flatMap { $0 >= 0x80 || reserved.contains($0) ? $0.percentEncoded : [$0] },
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
