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
