/// Some bytes of a file, both ends included.
public struct ByteRange: Hashable, Sendable {
    public let first: Int64
    public let last: Int64

    /// `last` must not come before `first`, nor `first` be negative.
    public init(first: Int64, last: Int64) {
        precondition(first >= 0 && first <= last && last < .max)
        self.first = first
        self.last = last
    }

    /// In bytes; never zero.
    public var length: Int64 { last - first + 1 }
}

/// What a `Content-Range` field says about the bytes of a response (RFC 9110, 14.4).
public enum ContentRange: Hashable, Sendable {
    /// The body has the bytes `first` to `last`, both included, of a representation of `total` bytes; nil if the origin
    /// does not state the total (`*`). Always `0 <= first <= last < total`.
    case bytes(first: Int64, last: Int64, total: Int64?)
    /// The response is a 416: no byte of the range exists; the representation has `total` bytes.
    case unsatisfied(total: Int64)

    /// Parses the field's value. Returns nil for what must not be combined with other bytes: another unit, a last byte
    /// before the first, a total that does not reach past the last, a number above `Int64`, any other text.
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

    /// The field's value as a server writes it.
    public var fieldValue: String {
        switch self {
        case .bytes(let first, let last, let total): "bytes \(first)-\(last)/\(total.map(String.init) ?? "*")"
        case .unsatisfied(let total): "bytes */\(total)"
        }
    }
}

/// The part of a file that a request asks for (RFC 9110, 14.2).
public enum RangeRequest: Hashable, Sendable {
    /// 200 with the whole file: no range, several ranges, or an invalid one. A server may ignore `Range`, and must do
    /// so if its syntax is wrong.
    case whole
    /// 206 with these bytes.
    case part(ByteRange)
    /// 416 with `Content-Range: bytes */size`.
    case unsatisfiable

    /// Parses a `Range` field's value for a file of `size` bytes. A nil value means that there was no such field.
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

    /// The last `suffix` bytes. An empty file has none that a 206 could name.
    private static func tail(_ suffix: Int64, size: Int64) -> RangeRequest {
        guard suffix > 0 else { return .unsatisfiable }
        guard size > 0 else { return .whole }
        return .part(ByteRange(first: max(0, size - suffix), last: size - 1))
    }
}
