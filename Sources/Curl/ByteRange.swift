/// The bytes that a request asks for (RFC 9110, section 14.1.2).
public enum ByteRange: Hashable, Sendable {
    /// From the first to the last byte, both included.
    case bytes(ClosedRange<Int64>)
    /// From this byte to the end.
    case from(Int64)

    /// As `CURLOPT_RANGE` takes it, without the unit.
    var text: String {
        switch self {
        case .bytes(let range): "\(range.lowerBound)-\(range.upperBound)"
        case .from(let first): "\(first)-"
        }
    }
}
