/// How soon a store that failed is asked again.
public enum StoreRetry {
    /// After the first failure in a row: a disk that was full for a moment keeps nobody waiting.
    public static let firstInterval = Duration.seconds(1)
    /// However many there were.
    public static let longestInterval = Duration.seconds(60)
}
