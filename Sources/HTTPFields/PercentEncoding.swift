/// Percent-encoding of bytes in URLs and header parameters (RFC 3986, 2.1; RFC 8187, 3.2.1).
public enum PercentEncoding {
    /// Replaces each `%XX` with its byte. A percent sign without two hexadecimal digits stays as it is.
    public static func decode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        let input = Array(bytes)
        var index = 0
        while index < input.count {
            if input[index] == UInt8(ascii: "%"), index + 2 < input.count,
                let high = input[index + 1].hexadecimalValue, let low = input[index + 2].hexadecimalValue
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(input[index])
                index += 1
            }
        }
        return result
    }

    /// Encodes the UTF-8 bytes of `text` for an extended parameter: all but `attr-char` become `%XX`.
    static func encode(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if isAttributeCharacter(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), hexadecimalDigits[Int(byte >> 4)], hexadecimalDigits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let hexadecimalDigits = Array("0123456789ABCDEF".utf8)

    private static func isAttributeCharacter(_ byte: UInt8) -> Bool {
        byte.isTokenCharacter && byte != UInt8(ascii: "*") && byte != UInt8(ascii: "'") && byte != UInt8(ascii: "%")
    }
}
