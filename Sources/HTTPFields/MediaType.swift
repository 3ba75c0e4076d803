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

/// Rules for the header fields and the body that a client may set for a download's requests.
public enum RequestFieldRules {
    /// Fields that frame the message, belong to a single connection (RFC 9110, section 7.6.1), make the request
    /// conditional, or decide how the bytes are transferred: the engine sets all of these itself.
    public static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "http2-settings", "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "range", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]
    /// The prefix of all fields for a proxy.
    public static let reservedPrefix = "proxy-"

    /// The largest body of a request to an origin, in bytes.
    public static let maximumBodyBytes = 64 << 10

    /// Whether `name` is a token, as a field's name must be (RFC 9110, section 5.1).
    public static func isFieldName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter)
    }

    /// Whether a client must not set this field. Case does not matter.
    public static func isReserved(_ name: String) -> Bool {
        let lowered = name.lowercasedASCII
        return reserved.contains(lowered) || lowered.hasPrefix(reservedPrefix)
    }
}
