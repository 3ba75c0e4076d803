/// What is known about a download before a request is sent.
public struct StoredState: Hashable, Sendable {
    /// Bytes of the file that are durable, in all its segments.
    public var durableBytes: Int64
    /// What the first accepted response said; nil before there was one.
    public var validator: Validator?
    /// The request names the digest of the whole file: what else comes in its place need not be believed.
    public var expectsDigest: Bool
    /// The digest of the whole file is known, from the client or the origin, and no file was wrong yet: bytes of which
    /// nothing else proves that they belong together are found out in the end if they do not.
    public var isJudgedByDigest = false
    /// The form of `If-Range` for a file that has both.
    public var ifRangeForm = IfRangeForm.tag
    /// Whether the other form is worth a try where this one is ignored.
    public var hasOtherIfRange = false
    /// What was known of the file whose bytes are gone. Nothing is put together by it: it tells the file from what a
    /// login page or a captive portal sends in its place.
    public var former: Validator?
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

    /// Takes what is known of the host that is asked.
    public mutating func take(_ memory: IfRangeMemory, at now: Timestamp) {
        ifRangeForm = memory.form(at: now)
        hasOtherIfRange = memory.hasOther(than: ifRangeForm, at: now)
    }
}
