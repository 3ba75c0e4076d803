/// A range of bytes of a file. It includes both ends.
public struct ByteRange: Hashable, Sendable {
    public let first: Int64
    public let last: Int64

    /// - Precondition: `0 <= first <= last < Int64.max`.
    public init(first: Int64, last: Int64) {
        precondition(first >= 0 && first <= last && last < .max)
        self.first = first
        self.last = last
    }

    /// The number of bytes; never zero.
    public var length: Int64 { last - first + 1 }
}

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

/// The response to a request with or without a `Range` field (RFC 9110, 14.2).
public enum RangeRequest: Hashable, Sendable {
    /// 200 with the whole file: no range, several ranges, or an invalid one. A server may ignore `Range`, and must do
    /// so if its syntax is wrong.
    case whole
    /// 206 with these bytes.
    case part(ByteRange)
    /// 416 with `Content-Range: bytes */size`.
    case unsatisfiable

    /// Parses the value of a `Range` field for a file of `size` bytes. Nil means that the request has no `Range` field.
    public init(_ fieldValue: String?, size: Int64) {
        self = fieldValue.flatMap { Self.single($0, size: max(size, 0)) } ?? .whole
    }

    private static func single(_ fieldValue: String, size: Int64) -> RangeRequest? {
        var cursor = FieldCursor(fieldValue)
        cursor.skipWhitespace()
        guard cursor.consume("bytes=", ignoringCase: true) else { return nil }
        cursor.skipWhitespace()
        let first = cursor.parseDigits()
        guard cursor.consume("-") else { return nil }
        let last = cursor.parseDigits()
        cursor.skipWhitespace()
        guard cursor.isAtEnd else { return nil }

        switch (first?.value, last?.value) {
        case (nil, nil): return nil
        case (nil, let suffix?): return tail(suffix, size: size)
        case (let first?, let last):
            if let last, last < first { return nil }
            guard first < size else { return .unsatisfiable }
            return .part(ByteRange(first: first, last: min(last ?? .max, size - 1)))
        }
    }

    /// The last `suffix` bytes. For an empty file the result is the whole file: a 206 cannot name an empty range.
    private static func tail(_ suffix: Int64, size: Int64) -> RangeRequest {
        guard suffix > 0 else { return .unsatisfiable }
        guard size > 0 else { return .whole }
        return .part(ByteRange(first: max(0, size - suffix), last: size - 1))
    }
}
