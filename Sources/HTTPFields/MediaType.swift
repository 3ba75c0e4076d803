/// The media type of a representation, without its parameters (RFC 9110, 8.3.1).
public struct MediaType: Hashable, Sendable {
    /// `type/subtype` in lower case.
    public let essence: String

    /// Parses the value of a `Content-Type` field. Returns nil if it does not begin with `type/subtype`.
    public init?(_ fieldValue: String) {
        var cursor = FieldCursor(fieldValue)
        cursor.skipWhitespace()
        let type = cursor.consume(while: \.isTokenCharacter)
        guard !type.isEmpty, cursor.consume("/") else { return nil }
        let subtype = cursor.consume(while: \.isTokenCharacter)
        cursor.skipWhitespace()
        guard !subtype.isEmpty, cursor.isAtEnd || cursor.next == UInt8(ascii: ";") else { return nil }
        let bytes = (type + [UInt8(ascii: "/")] + subtype).map(\.lowercasedASCII)
        essence = String(decoding: bytes, as: UTF8.self)
    }

    /// Whether it is a web page, as captive portals and error pages send in place of a file.
    public var isWebPage: Bool { essence == "text/html" || essence == "application/xhtml+xml" }

    /// Whether it is a Metalink document (RFC 5854, section 7).
    public var isMetalink: Bool { essence == "application/metalink4+xml" }

    /// Whether the body has several ranges, each with its own header (RFC 9110, 14.6).
    public var isMultipartByteRanges: Bool { essence == "multipart/byteranges" }
}
