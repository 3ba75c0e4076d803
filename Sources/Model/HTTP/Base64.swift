/// The usual base 64 (RFC 4648, 4), as header fields carry digests.
public enum Base64 {
    /// The bytes that `text` spells, or nil where it does not. The padding may be missing, as structured fields let it
    /// (RFC 9651, 4.2.7), but none may be wrong.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let digits = Array(text.prefix { $0 != UInt8(ascii: "=") })
        let padding = text.count - digits.count
        guard digits.count % 4 != 1, padding == 0 || padding == -digits.count & 3,
            text.suffix(padding).allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        var bytes: [UInt8] = []
        var (gathered, bits): (UInt32, Int) = (0, 0)
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            gathered = gathered << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: gathered >> UInt32(bits)))
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
