public import Core
import HTTPFields

/// The state of a download on which the next request depends.
public struct StoredState: Hashable, Sendable {
    /// The number of durable bytes, in all segments.
    public var durableBytes: Int64
    /// The validator of the first accepted response; nil before that response.
    public var validator: Validator?
    /// Whether the client stated a digest of the whole file, so that another file is never accepted.
    public var expectsDigest: Bool
    /// Whether a digest of the whole file is known, from the client or the origin, and no file had a wrong one yet.
    /// Bytes may then be combined without other proof, because the digest detects an error at the end.
    public var isVerifiedByDigest = false
    /// The form of `If-Range` to use for a file that has both a tag and a date.
    public var ifRangeForm = IfRangeForm.tag
    /// Whether the other form should be tried if this one is ignored.
    public var hasOtherIfRange = false
    /// The validator of the file whose bytes were discarded. It only helps to detect a login page or captive portal; it
    /// never allows bytes to be combined.
    public var previousFile: Validator?
    /// Whether the host does not serve ranges, or not correctly.
    public var hostHasNoRanges: Bool
    /// Whether the response comes from another source than the stored bytes and the digest of the whole file replaces
    /// the validator: only the total must be equal.
    public var agreesByDigest = false
    /// Whether the request has a `refresh_url` and the file's name has no web page's extension. A web page as the first
    /// response then most likely means an expired URL.
    public var expectsNoPage = false
    /// Whether the client accepts a file whose length nothing proves.
    public var acceptsUnverifiedLength = false
    /// Whether a web page is never the file (``DownloadRequest/refusesPage``).
    public var refusesPage = false
    /// The number of consecutive responses that seemed not to come from the origin
    /// (``ResponseDecision/retrySuspect(_:)``).
    public var suspectResponses: Int

    public init(
        durableBytes: Int64 = 0,
        validator: Validator? = nil,
        expectsDigest: Bool = false,
        hostHasNoRanges: Bool = false,
        suspectResponses: Int = 0
    ) {
        self.durableBytes = durableBytes
        self.validator = validator
        self.expectsDigest = expectsDigest
        self.hostHasNoRanges = hostHasNoRanges
        self.suspectResponses = suspectResponses
    }

    /// The size of the whole file in bytes; nil if unknown.
    public var total: Int64? { validator?.total }

    var hasBytes: Bool { durableBytes > 0 }

    /// Sets the form of `If-Range` from what was learned about the host.
    public mutating func apply(_ memory: IfRangeMemory, at now: Timestamp) {
        ifRangeForm = memory.form(at: now)
        hasOtherIfRange = memory.hasOther(than: ifRangeForm, at: now)
    }
}
