/// Base64 with the alphabet of URLs and without padding (RFC 4648, section 5).
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let value = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * (3 - UInt32(group.count)))
            for index in 0...group.count { text.append(alphabet[Int(value >> (18 - 6 * index)) & 63]) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for other characters, and for a text of which another one would decode to the same bytes.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bits = 0
        for byte in text.utf8 {
            guard let digit = alphabet.firstIndex(of: byte) else { return nil }
            buffer = buffer << 6 | UInt32(digit)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
        }
        return encode(bytes) == text ? bytes : nil
    }
}
