/// How urgent a download is, from -100 to 100.
public struct Priority: Hashable, Comparable, Sendable {
    public let value: Int

    public static let range = -100...100
    public static let ordinary = Self(clamping: 0)

    /// nil for what is out of ``range``.
    public init?(_ value: Int) {
        guard Self.range.contains(value) else { return nil }
        self.value = value
    }

    public init(clamping value: Int) {
        self.value = min(max(value, Self.range.lowerBound), Self.range.upperBound)
    }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
