/// The type of a representation, without its parameters (RFC 9110, 8.3.1).
public struct MediaType: Hashable, Sendable {
    /// `type/subtype` in lower case.
    public let essence: String

    /// Reads a `Content-Type` field's value, or returns nil when it does not begin with a type and a subtype.
    public init?(_ fieldValue: String) {
        var cursor = FieldCursor(fieldValue)
        cursor.skipWhitespace()
        let type = cursor.take(while: \.isTokenCharacter)
        guard !type.isEmpty, cursor.take("/") else { return nil }
        let subtype = cursor.take(while: \.isTokenCharacter)
        cursor.skipWhitespace()
        guard !subtype.isEmpty, cursor.isAtEnd || cursor.next == UInt8(ascii: ";") else { return nil }
        let bytes = (type + [UInt8(ascii: "/")] + subtype).map(\.lowercasedASCII)
        essence = String(decoding: bytes, as: UTF8.self)
    }

    /// A page for a person: what captive portals and error handlers send where a file was asked for.
    public var isWebPage: Bool { essence == "text/html" || essence == "application/xhtml+xml" }

    /// A Metalink document (RFC 5854, section 7).
    public var isMetalink: Bool { essence == "application/metalink4+xml" }

    /// Several ranges in one body, each with a header of its own.
    public var isMultipartByteRanges: Bool { essence == "multipart/byteranges" }
}
