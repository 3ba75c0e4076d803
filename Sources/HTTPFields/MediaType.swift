/// The type of a representation, without its parameters (RFC 9110, 8.3.1).
public struct MediaType: Hashable, Sendable {
    /// `type/subtype` in lower case.
    public let essence: String

    /// Parses a `Content-Type` field's value; nil if it does not begin with a type and a subtype.
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

    /// A web page: what captive portals and error handlers send in place of a file.
    public var isWebPage: Bool { essence == "text/html" || essence == "application/xhtml+xml" }

    /// A Metalink document (RFC 5854, section 7).
    public var isMetalink: Bool { essence == "application/metalink4+xml" }

    /// Several ranges in one body, each with a header of its own.
    public var isMultipartByteRanges: Bool { essence == "multipart/byteranges" }
}

/// The header fields that a client may give for a download.
public enum RequestFieldRules {
    /// Fields that frame the message, belong to a single connection (RFC 9110, section 7.6.1), make the request
    /// conditional, or decide how the bytes are transferred: the engine sets all of these itself.
    public static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "http2-settings", "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "range", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]
    /// Fields for a proxy, whatever follows this prefix.
    public static let reservedPrefix = "proxy-"

    /// The largest body of a request to an origin, in bytes.
    public static let maximumBodyBytes = 64 << 10

    /// Whether `name` has the form of a field's name, a token (RFC 9110, section 5.1).
    public static func isFieldName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter)
    }

    /// Whether the service sets or omits this field itself. Case does not matter.
    public static func isReserved(_ name: String) -> Bool {
        let lowered = name.lowercasedASCII
        return reserved.contains(lowered) || lowered.hasPrefix(reservedPrefix)
    }
}
