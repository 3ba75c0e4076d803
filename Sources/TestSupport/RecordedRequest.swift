/// A request as it came to an ``Origin``.
public struct RecordedRequest: Hashable, Sendable {
    public let method: String
    public let target: String
    public let isHTTP2: Bool
    /// Whole lines, in the order they came.
    public let fieldLines: [String]
    public let body: [UInt8]

    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The value of the first field called `name`.
    public func value(of name: String) -> String? {
        let prefix = name.lowercased() + ":"
        guard let line = fieldLines.first(where: { $0.lowercased().hasPrefix(prefix) }) else { return nil }
        return String(line.dropFirst(prefix.count).drop { $0 == " " })
    }

    /// The one range asked for, cut to `size`; nil if there is none or it cannot be served.
    func range(within size: Int64) -> Range<Int64>? {
        guard let value = value(of: "range"), value.hasPrefix("bytes=") else { return nil }
        let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(ends[0]), first < size else { return nil }
        let last = min(Int64(ends[1]) ?? size - 1, size - 1)
        return first <= last ? first..<last + 1 : nil
    }
}
