/// The character classes of HTTP's grammar (RFC 9110, 5.6.2; RFC 5234, B.1).
extension UInt8 {
    public static let space = UInt8(ascii: " ")
    public static let tab: UInt8 = 0x09

    public var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    public var isASCIILetter: Bool { lowercasedASCII >= UInt8(ascii: "a") && lowercasedASCII <= UInt8(ascii: "z") }

    public var lowercasedASCII: UInt8 { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self }

    /// Whether the byte may be part of a token (`tchar`).
    public var isTokenCharacter: Bool {
        if isASCIIDigit || isASCIILetter { return true }
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            return true
        default:
            return false
        }
    }

    /// The value of a hexadecimal digit, or nil.
    public var hexadecimalValue: UInt8? {
        if isASCIIDigit { return self - UInt8(ascii: "0") }
        let letter = lowercasedASCII
        guard letter >= UInt8(ascii: "a"), letter <= UInt8(ascii: "f") else { return nil }
        return letter - UInt8(ascii: "a") + 10
    }
}

extension StringProtocol {
    /// The text with its ASCII letters in lower case. Other characters do not change.
    ///
    /// HTTP ignores the case of ASCII letters only (RFC 9110, section 5.6.2). `lowercased()` also maps some other
    /// characters to ASCII letters, such as the Kelvin sign to `k`, and so would make an invalid token equal to a valid
    /// one.
    public var lowercasedASCII: String { String(decoding: utf8.map(\.lowercasedASCII), as: UTF8.self) }
}
