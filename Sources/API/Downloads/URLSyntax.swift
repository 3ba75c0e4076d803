import Core

/// The required form of an http or https URL in a request. URLs of other schemes are not checked here: the destination
/// policy may refuse their scheme.
///
/// It accepts what browsers normalise (surrounding white space, spaces, characters outside ASCII), and is stricter than
/// RFC 3986 where parsers are known to disagree (white space in the authority, line breaks, backslashes, several `@`),
/// so that libcurl connects to the host that was validated here.
enum URLSyntax {
    static let maximumBytes = 8192

    static func matches(_ text: String) -> Bool {
        let bytes = trimmed(text)
        guard let start = schemeLength(bytes) else { return false }
        let end = bytes[start...].firstIndex(where: isPathStart) ?? bytes.endIndex
        guard bytes[end...].allSatisfy(isRestByte) else { return false }
        var authority = bytes[start..<end]
        if let at = authority.firstIndex(of: UInt8(ascii: "@")) {
            guard isUserInfo(authority[..<at]) else { return false }
            authority = authority[(at + 1)...]
        }
        return isHostAndPort(authority)
    }

    /// Whether this is an absolute URL with an authority (RFC 3986, section 3) whose scheme is neither http nor https.
    static func hasOtherScheme(_ text: String) -> Bool {
        let bytes = trimmed(text)
        guard schemeLength(bytes) == nil, let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return false }
        guard let first = bytes.first, isAlphanumeric(first), !isDigit(first) else { return false }
        let isScheme = bytes[..<colon].allSatisfy { isAlphanumeric($0) || "+-.".utf8.contains($0) }
        guard isScheme, bytes[(colon + 1)...].starts(with: "//".utf8) else { return false }
        let authority = bytes[(colon + 3)...].prefix { !isPathStart($0) }
        return !authority.contains(UInt8(ascii: " ")) && bytes.allSatisfy(isRestByte)
    }

    private static func trimmed(_ text: String) -> [UInt8] {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let bytes = Array(text.utf8)
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return Array(bytes[first...last])
    }

    /// Anything but controls and the backslash, which some parsers treat as a slash. The parser refuses the controls
    /// outside ASCII.
    private static func isRestByte(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "\\")
    }

    private static func schemeLength(_ bytes: [UInt8]) -> Int? {
        for scheme in ["http://", "https://"] {
            let head = bytes.prefix(scheme.utf8.count).map { isUpper($0) ? $0 | 0x20 : $0 }
            if head.elementsEqual(scheme.utf8) { return head.count }
        }
        return nil
    }

    private static func isPathStart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Unreserved characters, sub-delimiters, `:`, characters outside ASCII, and percent-encoded bytes except control
    /// characters.
    private static func isUserInfo(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                    return false
                }
                if high < 2 || (high == 7 && low == 15) { return false }
            } else if byte < 0x80, !isAlphanumeric(byte), !"-._~!$&'()*+,;=:".utf8.contains(byte) {
                return false
            }
        }
        return true
    }

    private static func isHostAndPort(_ authority: ArraySlice<UInt8>) -> Bool {
        if authority.first == UInt8(ascii: "[") {
            guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let literal = String(decoding: authority[...close], as: UTF8.self)
            return IPAddress(urlHost: literal) != nil && isPort(authority[(close + 1)...])
        }
        let colon = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        return isHostName(authority[..<colon]) && isPort(authority[colon...])
    }

    /// An ASCII name, or one with characters outside ASCII, which the parser converts and checks.
    private static func isHostName(_ bytes: ArraySlice<UInt8>) -> Bool {
        let isLetter: (UInt8) -> Bool = { $0 >= 0x80 || isAlphanumeric($0) }
        guard let first = bytes.first, let last = bytes.last, bytes.count <= 253 else { return false }
        guard isLetter(first), isLetter(last) else { return false }
        return bytes.allSatisfy { isLetter($0) || "-._".utf8.contains($0) }
    }

    /// Empty, or a colon and a number from 1 to 65535 without a leading zero.
    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.isEmpty { return true }
        let digits = bytes.dropFirst()
        guard bytes.first == UInt8(ascii: ":"), let first = digits.first, first != UInt8(ascii: "0") else {
            return false
        }
        guard digits.allSatisfy(isDigit) else { return false }
        return UInt16(String(decoding: digits, as: UTF8.self)) != nil
    }
}

private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

private func isUpper(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }

private func isAlphanumeric(_ byte: UInt8) -> Bool {
    isDigit(byte) || isUpper(byte) || (byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z"))
}

private func hexValue(_ byte: UInt8) -> Int? { Character(Unicode.Scalar(byte)).hexDigitValue }
