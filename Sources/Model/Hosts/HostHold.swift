/// Why no connection to a host may be opened now.
public enum HostHold: String, Hashable, Sendable {
    /// As many are open as it bears; until one closes.
    case cap
    /// It asked to be left alone (`Retry-After`); until the time that it named.
    case retryAfter = "retry_after"
    /// Downloads failed one after another; until it is tried with one of them.
    case failures
    /// It is being tried with one download; until that one has an answer.
    case probe

    /// The longest that a host is left alone, whatever it asks for.
    public static let longest = Duration.seconds(3600)
    /// How long a host that answered a range with the whole is not asked for ranges: servers are mended, too.
    public static let rangeRefusal = Duration.seconds(86_400)
}
