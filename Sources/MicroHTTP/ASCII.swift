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
    /// Compares ASCII letters without case, as schemes, hosts and escapes are compared.
    func starts(withIgnoringCase prefix: String) -> Bool {
        starts(with: prefix.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension String {
    /// The same in ASCII, whatever the case of its letters. Unicode has further letters that fold to these, such as the
    /// Kelvin sign to a k; to HTTP they are none.
    func equals(ignoringCase other: String) -> Bool {
        utf8.elementsEqual(other.utf8) { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}
