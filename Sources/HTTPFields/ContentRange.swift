/// The value of a `Content-Range` field (RFC 9110, 14.4).
public enum ContentRange: Hashable, Sendable {
    /// The body has the bytes `first` to `last`, both included, of a representation of `total` bytes. `total` is nil if
    /// the origin does not state it (`*`). Always `0 <= first <= last < total`.
    case bytes(first: Int64, last: Int64, total: Int64?)
    /// For a 416 response: the requested range is outside the representation, which has `total` bytes.
    case unsatisfied(total: Int64)

    /// Parses the field's value. Returns nil if the body cannot be placed in a file: for another unit, a last byte
    /// before the first, a total that is not above the last byte, a number above `Int64.max`, and any other text.
    public init?(_ fieldValue: String) {
        var cursor = FieldCursor(fieldValue)
        cursor.skipWhitespace()
        guard cursor.consume("bytes ", ignoringCase: true), let range = Self.range(&cursor) else { return nil }
        cursor.skipWhitespace()
        guard cursor.isAtEnd else { return nil }
        self = range
    }

    private static func range(_ cursor: inout FieldCursor) -> ContentRange? {
        if cursor.consume("*/") {
            return cursor.parseNumber().map(ContentRange.unsatisfied)
        }
        guard let first = cursor.parseNumber(), cursor.consume("-") else { return nil }
        guard let last = cursor.parseNumber(), cursor.consume("/") else { return nil }
        // `last` below the maximum keeps every length, last - first + 1, within Int64.
        guard first <= last, last < .max else { return nil }
        if cursor.consume("*") { return .bytes(first: first, last: last, total: nil) }
        guard let total = cursor.parseNumber(), total > last else { return nil }
        return .bytes(first: first, last: last, total: total)
    }

    /// The field's value, as a server sends it.
    public var fieldValue: String {
        switch self {
        case .bytes(let first, let last, let total): "bytes \(first)-\(last)/\(total.map(String.init) ?? "*")"
        case .unsatisfied(let total): "bytes */\(total)"
        }
    }
}
