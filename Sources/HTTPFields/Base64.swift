import FoundationEssentials

/// Base64 with the standard alphabet (RFC 4648, 4), in which header fields encode digests.
public enum Base64 {
    /// Decodes `text`. Returns nil if it is invalid. The padding may be missing, as in structured fields (RFC 9651,
    /// 4.2.7), but it must not be wrong.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let digits = text.prefix { $0 != UInt8(ascii: "=") }
        let (padding, needed) = (text.count - digits.count, -digits.count & 3)
        // Foundation accepts more padding than the standard allows.
        guard padding == 0 || padding == needed else { return nil }
        return Data(base64Encoded: Data(digits + Array(repeating: UInt8(ascii: "="), count: needed))).map(Array.init)
    }
}
