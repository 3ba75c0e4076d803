/// What is known about a download before a request is sent.
public struct StoredState: Hashable, Sendable {
    /// Bytes of the file that are durable, in all its segments.
    public var durableBytes: Int64
    /// What the first accepted response said; nil before there was one.
    public var validator: Validator?
    /// The request names the digest of the whole file, which decides in the end.
    public var expectsDigest: Bool
    /// The host has answered ranges wrongly, or not at all.
    public var hostHasNoRanges: Bool
    /// The answer comes from another source than the bytes at hand, and the digest of the whole file vouches for it in
    /// place of a validator: it need state no more than the same total.
    public var agreesByDigest = false
    /// Another link may be had for this one, and its name is no web page's: one that comes in place of the file's first
    /// byte is most likely what is sent for a link that has expired.
    public var expectsNoPage = false
    /// Answers in a row (``GateDecision/retrySuspect(_:)``) that seemed to come from something other than the origin.
    public var suspectAnswers: Int

    public init(
        durableBytes: Int64 = 0,
        validator: Validator? = nil,
        expectsDigest: Bool = false,
        hostHasNoRanges: Bool = false,
        suspectAnswers: Int = 0
    ) {
        self.durableBytes = durableBytes
        self.validator = validator
        self.expectsDigest = expectsDigest
        self.hostHasNoRanges = hostHasNoRanges
        self.suspectAnswers = suspectAnswers
    }

    /// The size of the whole file in bytes, as far as it is known.
    public var total: Int64? { validator?.total }

    var hasBytes: Bool { durableBytes > 0 }
}
