/// The authority of a URL before libcurl parses it (WHATWG URL, section 4.4, authority state and host state): with
/// percent-encoded user information, a host without percent-encoding, and a port without leading zeros.
struct URLAuthority {
    let text: String

    /// - Throws: ``URLParseError``.
    init(_ authority: Substring) throws(URLParseError) {
        guard !authority.utf8.contains(where: { " \\".utf8.contains($0) }) else { throw .forbiddenCharacter }
        let at = authority.utf8.firstIndex(of: UInt8(ascii: "@"))
        guard at == authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { throw .ambiguousAuthority }
        let user = at.map { "\(authority.utf8[..<$0].percentEncoded(Self.inUser))@" } ?? ""
        let (host, port) = try Self.split(at.map { authority[authority.utf8.index(after: $0)...] } ?? authority)
        text = try "\(user)\(Self.decoded(host))\(port.map(Self.normalized) ?? "")"
    }

    /// The path percent-encode set (WHATWG URL, section 1.3): what else the user information may not have ends it.
    private static let inUser = Set("\"<>^`{} ".utf8)

    /// Splits host and port. An IPv6 address has its colons inside brackets.
    private static func split(_ text: Substring) throws(URLParseError) -> (host: Substring, port: Substring?) {
        var end = text.startIndex
        if text.utf8.first == UInt8(ascii: "[") {
            guard let bracket = text.utf8.lastIndex(of: UInt8(ascii: "]")) else { throw .badHost }
            end = text.utf8.index(after: bracket)
            guard text[end...].utf8.first.map({ $0 == UInt8(ascii: ":") }) ?? true else { throw .badHost }
        }
        guard let colon = text.utf8[end...].firstIndex(of: UInt8(ascii: ":")) else { return (text, nil) }
        return (text[..<colon], text[text.utf8.index(after: colon)...])
    }

    /// The host without percent-encoding.
    private static func decoded(_ host: Substring) throws(URLParseError) -> String {
        guard host.utf8.contains(UInt8(ascii: "%")) else { return String(host) }
        // A zone of an IPv6 address begins with a percent sign. It is valid on one machine alone.
        guard host.utf8.first != UInt8(ascii: "[") else { throw .badHost }
        var bytes: [UInt8] = []
        var rest = host.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let decoded = UInt8(String(Substring(rest.prefix(2))), radix: 16), rest.count >= 2 else {
                throw .badHost
            }
            rest = rest.dropFirst(2)
            bytes.append(decoded)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .badName }
        // A decoded character must not begin another part of the URL.
        guard text.utf8.allSatisfy({ $0 >= 0x80 || $0.isInHostName }) else { throw .badHost }
        return text
    }

    /// Colon and number; empty if there is no number, as in `http://host:/`.
    private static func normalized(_ port: Substring) throws(URLParseError) -> String {
        guard !port.isEmpty else { return "" }
        let digits = port.utf8.drop { $0 == UInt8(ascii: "0") }
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt16(Substring(digits))
        else { throw .badPort }
        return ":\(number)"
    }
}

extension UInt8 {
    /// Whether the byte is a letter, a digit, a hyphen, a dot or an underscore.
    var isInHostName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._".utf8.contains(self)
        }
    }
}
