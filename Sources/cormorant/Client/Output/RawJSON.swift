/// JSON of the service as text: members that this version does not know are shown too, in their order.
enum RawJSON {
    /// The elements of an array that is a member of an object, each as text.
    static func items(_ object: [UInt8], in member: String = "items") -> [[UInt8]] {
        guard let array = value(of: member, in: object) else { return [] }
        return elements(array)
    }

    /// The value of a member; nil if the object has none of the name.
    static func value(of name: String, in object: [UInt8]) -> [UInt8]? {
        for member in elements(object) {
            let end = scalarEnd(member, 0)
            guard end > 2, end < member.count, String(decoding: member[1..<(end - 1)], as: UTF8.self) == name else {
                continue
            }
            return trimmed(member[(end + 1)...])
        }
        return nil
    }

    /// The parts of an array or an object between its commas.
    static func elements(_ bytes: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var (depth, start, index) = (0, 1, 0)
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index = scalarEnd(bytes, index)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if depth == 1 { start = index + 1 }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 {
                    let last = trimmed(bytes[start..<index])
                    return last.isEmpty ? parts : parts + [last]
                }
            case UInt8(ascii: ",") where depth == 1:
                parts.append(trimmed(bytes[start..<index]))
                start = index + 1
            default: break
            }
            index += 1
        }
        return parts
    }

    /// The JSON in one line.
    static func line(_ bytes: [UInt8]) -> String { escaped(bytes) }

    /// A string as JSON.
    static func quoted(_ text: String) -> String {
        let characters = text.unicodeScalars.map { scalar in
            scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : scalar.isControl ? scalar.escaped : "\(scalar)"
        }
        return "\"" + characters.joined() + "\""
    }

    /// Equal JSON in which no character controls a terminal: in strings such characters are escaped (RFC 8259, section
    /// 7), between values they are blanks.
    private static func escaped(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.unicodeScalars.contains(where: \.isControl) else { return text }
        return text.unicodeScalars.map { scalar in
            switch scalar {
            case "\t", "\n", "\r": " "
            default: scalar.isControl ? scalar.escaped : "\(scalar)"
            }
        }.joined()
    }

    /// The JSON with one member or element in a line.
    static func indented(_ bytes: [UInt8]) -> String {
        let bytes = Array(escaped(bytes).utf8)
        var text: [UInt8] = []
        var (depth, index) = (0, 0)
        func newLine() { text += [UInt8(ascii: "\n")] + [UInt8](repeating: UInt8(ascii: " "), count: 2 * depth) }
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                let end = scalarEnd(bytes, index)
                text += bytes[index..<end]
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                text.append(byte)
                if let close = bytes[(index + 1)...].firstIndex(where: { !isSpace($0) }), isClose(bytes[close]) {
                    text.append(bytes[close])
                    index = close
                } else {
                    depth += 1
                    newLine()
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                newLine()
                text.append(byte)
            case UInt8(ascii: ","):
                text.append(byte)
                newLine()
            case UInt8(ascii: ":"): text += [byte, UInt8(ascii: " ")]
            case _ where isSpace(byte): break
            default: text.append(byte)
            }
            index += 1
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: The index after the string that begins at `start`.
    private static func scalarEnd(_ bytes: [UInt8], _ start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isClose(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        Array(bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

extension Unicode.Scalar {
    /// `\u001b`. No control character is above U+FFFF.
    fileprivate var escaped: String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
