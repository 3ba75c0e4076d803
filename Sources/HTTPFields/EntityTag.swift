/// An entity tag: the name that an origin gives to one version of a representation (RFC 9110, 8.8.3).
public struct EntityTag: Sendable {
    /// A weak tag (`W/"…"`) promises equal meaning, not equal bytes.
    public let isWeak: Bool
    /// The text between the quotes.
    public let opaque: String

    /// Longer tags are ignored: they would be sent with every request, and no honest tag is that long.
    public static let maximumBytes = 1024

    /// Reads an `ETag` field's value, or returns nil when it cannot serve as a validator.
    ///
    /// The grammar is applied strictly: quotes are required and `W/` is case-sensitive. Also refused, although the
    /// grammar has them, are the empty tag (a version without a name), C1 controls, and U+FFFD, which replaces bytes
    /// that were lost in decoding: two different tags could look alike.
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

    /// The tag as written in a header field.
    public var fieldValue: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// `etagc`: any visible byte but the double quote, and all above ASCII.
    private static func isTagByte(_ byte: UInt8) -> Bool {
        byte == 0x21 || (0x23...0x7E).contains(byte) || byte >= 0x80
    }
}

extension EntityTag: Hashable {
    /// Equal bytes, weakness included: `String`'s own `==` would treat canonically equivalent tags as equal. Two equal
    /// strong tags prove equal bytes (RFC 9110, 8.8.3.2).
    public static func == (lhs: EntityTag, rhs: EntityTag) -> Bool {
        lhs.isWeak == rhs.isWeak && lhs.opaque.utf8.elementsEqual(rhs.opaque.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(isWeak)
        hasher.combine(opaque)
    }
}
