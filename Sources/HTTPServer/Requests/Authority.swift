import Glibc

/// `host [":" port]` (RFC 9110, section 7.2), restricted so that all parsers find the same host. The host is a name of
/// letters, digits, hyphens, dots and underscores, an IPv4 address, or an IPv6 address in brackets.
struct Authority {
    /// In lower case. An IPv6 address has no brackets.
    let host: String

    /// - Returns: nil for any other text, for example with characters after the port.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        let rest: ArraySlice<UInt8>
        if bytes.first == UInt8(ascii: "[") {
            guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = String(decoding: bytes[1..<end].map(\.lowercasedASCII), as: UTF8.self)
            var address = in6_addr()
            guard inet_pton(AF_INET6, host, &address) == 1 else { return nil }
            rest = bytes[(end + 1)...]
        } else {
            let name = bytes.prefix(while: Self.isNameByte)
            guard !name.isEmpty else { return nil }
            host = String(decoding: name.map(\.lowercasedASCII), as: UTF8.self)
            rest = bytes[name.endIndex...]
        }
        guard rest.isEmpty || Self.isPort(rest) else { return nil }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte.lowercasedASCII {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The digits may be missing (RFC 3986, section 3.2.3).
    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: ":") else { return false }
        let digits = text.dropFirst()
        guard !digits.isEmpty else { return true }
        return digits.allSatisfy { (0x30...0x39).contains($0) }
            && UInt16(String(decoding: digits, as: UTF8.self)) != nil
    }
}

extension UInt8 {
    /// The value of an ASCII hexadecimal digit.
    var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

extension ArraySlice<UInt8> {
    /// Compares ASCII letters without case, as for schemes, hosts and percent-encodings.
    func starts(withIgnoringCase prefix: String) -> Bool {
        starts(with: prefix.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension String {
    /// Compares ASCII letters without case. Unicode case folding would also match other characters, for example the
    /// Kelvin sign and `k`, which differ in HTTP.
    func equals(ignoringCase other: String) -> Bool {
        utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}
