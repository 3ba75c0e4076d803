import HTTPFields

/// The start of an element.
public struct XMLElement: Hashable, Sendable {
    /// The namespace name; empty if there is none.
    public let namespace: String
    /// The local name, without the prefix.
    public let name: String
    /// The values by qualified name. Namespace declarations are included.
    public let attributes: [String: String]

    public init(namespace: String, name: String, attributes: [String: String] = [:]) {
        self.namespace = namespace
        self.name = name
        self.attributes = attributes
    }
}

/// Why a text could not be parsed as XML.
public enum XMLParseError: Error, Hashable, Sendable {
    /// Not well-formed (XML 1.0, section 2.1), or not UTF-8.
    case malformed
    /// The document has a document type declaration. Its entities could expand without limit or refer to files.
    case documentType
    /// The nesting, or the number of attributes or namespaces, is above the limit.
    case tooDeep
}

/// Replaces the references in character data (XML 1.0, section 4.1).
enum XMLText {
    static func expanded(_ raw: ArraySlice<UInt8>) throws(XMLParseError) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(raw.count)
        var rest = raw
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&") else {
                result.append(byte)
                continue
            }
            let name = rest.prefix(12).prefix { $0 != UInt8(ascii: ";") }
            rest = rest.dropFirst(name.count)
            guard rest.popFirst() == UInt8(ascii: ";"), let scalar = scalar(name) else { throw .malformed }
            result.append(contentsOf: String(Character(scalar)).utf8)
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func scalar(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
        switch String(decoding: name, as: UTF8.self) {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "apos": return "'"
        case "quot": return "\""
        case let text where text.hasPrefix("#x"): return scalar(text.dropFirst(2), radix: 16)
        case let text where text.hasPrefix("#"): return scalar(text.dropFirst(), radix: 10)
        default: return nil
        }
    }

    private static func scalar(_ digits: Substring, radix: Int) -> Unicode.Scalar? {
        guard digits.utf8.allSatisfy({ $0.hexadecimalValue != nil }), let value = UInt32(digits, radix: radix) else {
            return nil
        }
        guard value >= 0x20 || [0x09, 0x0A, 0x0D].contains(value), value & 0xFFFE != 0xFFFE else { return nil }
        return Unicode.Scalar(value)
    }
}
