/// What a `Content-Range` field says about the bytes of a response (RFC 9110, 14.4).
public enum ContentRange: Hashable, Sendable {
    /// The body holds the bytes `first` to `last`, both included, of a representation of `total` bytes; nil when the
    /// origin does not tell the total (`*`). Always `0 <= first <= last < total`.
    case bytes(first: Int64, last: Int64, total: Int64?)
    /// The answer of a 416: no byte of the range exists, the representation has `total` bytes.
    case unsatisfied(total: Int64)

    /// Reads the field's value, or returns nil for what must not be combined with other bytes: a foreign unit, a last
    /// byte before the first, a total that does not reach past the last, a number above `Int64`, any other text.
    public init?(_ fieldValue: String) {
        var cursor = FieldCursor(fieldValue)
        cursor.skipWhitespace()
        guard cursor.take("bytes ", ignoringCase: true), let range = Self.range(&cursor) else { return nil }
        cursor.skipWhitespace()
        guard cursor.isAtEnd else { return nil }
        self = range
    }

    private static func range(_ cursor: inout FieldCursor) -> ContentRange? {
        if cursor.take("*/") {
            return cursor.takeNumber().map(ContentRange.unsatisfied)
        }
        guard let first = cursor.takeNumber(), cursor.take("-") else { return nil }
        guard let last = cursor.takeNumber(), cursor.take("/") else { return nil }
        // `last` below the maximum keeps every length, last - first + 1, within Int64.
        guard first <= last, last < .max else { return nil }
        if cursor.take("*") { return .bytes(first: first, last: last, total: nil) }
        guard let total = cursor.takeNumber(), total > last else { return nil }
        return .bytes(first: first, last: last, total: total)
    }

    /// The field's value as a server writes it.
    public var fieldValue: String {
        switch self {
        case .bytes(let first, let last, let total): "bytes \(first)-\(last)/\(total.map(String.init) ?? "*")"
        case .unsatisfied(let total): "bytes */\(total)"
        }
    }
}
