/// One link of a `Link` field (RFC 8288).
public struct LinkField: Hashable, Sendable {
    /// A URI reference, relative to the URL of the response.
    public let target: String
    /// Names are in lower case. If a name is repeated, its first value counts.
    private let parameters: [String: String]

    /// The relation types of `rel`, in lower case.
    public var relations: [String] {
        (parameters["rel"] ?? "").lowercasedASCII.split(separator: " ").map(String.init)
    }

    /// The stated media type of the target.
    public var type: MediaType? { parameters["type"].flatMap(MediaType.init) }

    /// The priority among duplicates, from 1 (highest) to 999999 (lowest, the default; RFC 6249, section 3.1).
    public var priority: Int {
        parameters["pri"].flatMap(Int.init).flatMap { (1...999_999).contains($0) ? $0 : nil } ?? 999_999
    }

    /// Parses the links of a field's value, up to the first invalid part.
    public static func all(_ fieldValue: String) -> [LinkField] {
        var cursor = FieldCursor(fieldValue)
        var links: [LinkField] = []
        while !cursor.isAtEnd {
            cursor.skipWhitespace()
            if cursor.consume(",") { continue }
            guard cursor.consume("<") else { break }
            let target = cursor.consume { $0 != UInt8(ascii: ">") }
            guard cursor.consume(">"), let parameters = parameters(&cursor) else { break }
            // A link with an `anchor` describes another resource than the requested one.
            guard parameters["anchor"] == nil else { continue }
            links.append(LinkField(target: String(decoding: target, as: UTF8.self), parameters: parameters))
        }
        return links
    }

    private static func parameters(_ cursor: inout FieldCursor) -> [String: String]? {
        var parameters: [String: String] = [:]
        cursor.skipWhitespace()
        while cursor.consume(";") {
            cursor.skipWhitespace()
            let name = String(decoding: cursor.consume(while: \.isTokenCharacter).map(\.lowercasedASCII), as: UTF8.self)
            cursor.skipWhitespace()
            var value = ""
            if cursor.consume("=") {
                cursor.skipWhitespace()
                guard let text = cursor.parseText() else { return nil }
                value = text
            }
            if !name.isEmpty, parameters[name] == nil { parameters[name] = value }
            cursor.skipWhitespace()
        }
        return cursor.isAtEnd || cursor.next == UInt8(ascii: ",") ? parameters : nil
    }
}

extension FieldCursor {
    /// Consumes a token or a quoted string (RFC 9110, sections 5.6.2 and 5.6.4).
    fileprivate mutating func parseText() -> String? {
        guard consume("\"") else { return String(decoding: consume(while: \.isTokenCharacter), as: UTF8.self) }
        var bytes: [UInt8] = []
        while let byte = consumeByte() {
            if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = consumeByte() else { return nil }
            bytes.append(escaped)
        }
        return nil
    }
}

extension [LinkField] {
    /// Further URLs of the same file, in order of preference (RFC 6249, section 3).
    public var duplicates: [String] {
        filter { $0.relations.contains("duplicate") }
            .enumerated()
            .sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }
            .map(\.element.target)
    }

    /// The Metalink document that describes the file (RFC 6249, section 4).
    public var metalink: String? {
        first { $0.relations.contains("describedby") && $0.type?.isMetalink == true }?.target
    }
}
