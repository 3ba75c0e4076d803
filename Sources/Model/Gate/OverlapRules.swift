/// How bytes that come a second time are compared with those at hand before others are added to them.
public enum OverlapRules {
    /// The bytes that are asked for again.
    public static let bytes: Int64 = 64 << 10
    /// The most bytes that are compared to make use of a range that begins early.
    public static let maximumBytes: Int64 = 1 << 20
}
