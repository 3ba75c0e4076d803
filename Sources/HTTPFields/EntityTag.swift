/// An entity tag: an origin's identifier for one version of a representation (RFC 9110, 8.8.3).
public struct EntityTag: Sendable {
    /// Whether the tag is weak (`W/"…"`). A weak tag promises equal meaning, not equal bytes.
    public let isWeak: Bool
    /// The text between the quotes.
    public let opaque: String

    /// Longer tags are ignored: each request would repeat them, and no ordinary server sends them.
    public static let maximumBytes = 1024

    /// Parses the value of an `ETag` field. Returns nil if the tag cannot serve as a validator.
    ///
    /// The grammar is applied strictly: the quotes are required, and `W/` is case-sensitive. Three kinds of tag are
    /// refused although the grammar allows them: an empty tag, which identifies no version; a tag with C1 controls; and
    /// a tag with U+FFFD, which replaces undecodable bytes, so that two different tags could become equal.
    public init?(_ fieldValue: String) {
        guard fieldValue.utf8.count <= Self.maximumBytes + 16 else { return nil }
        var cursor = FieldCursor(fieldValue)
        cursor.skipWhitespace()
        isWeak = cursor.consume("W/")
        guard cursor.consume("\"") else { return nil }
        let bytes = cursor.consume(while: Self.isTagByte)
        guard cursor.consume("\"") else { return nil }
        cursor.skipWhitespace()
        guard cursor.isAtEnd, !bytes.isEmpty, bytes.count <= Self.maximumBytes else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        guard !text.unicodeScalars.contains(where: { (0x80...0x9F).contains($0.value) || $0 == "\u{FFFD}" }) else {
            return nil
        }
        opaque = text
    }

    /// The value of a header field.
    public var fieldValue: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// `etagc`: a visible ASCII byte other than the double quote, or a byte above ASCII.
    private static func isTagByte(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x7E).contains(byte) || byte >= 0x80
    }
}

extension EntityTag: Hashable {
    /// Compares bytes and weakness: `String`'s own `==` would treat canonically equivalent tags as equal. Two equal
    /// strong tags prove equal bytes (RFC 9110, 8.8.3.2).
    public static func == (lhs: EntityTag, rhs: EntityTag) -> Bool {
        lhs.isWeak == rhs.isWeak && lhs.opaque.utf8.elementsEqual(rhs.opaque.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(isWeak)
        hasher.combine(opaque)
    }
}
