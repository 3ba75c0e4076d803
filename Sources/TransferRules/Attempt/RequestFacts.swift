public import Core

/// The facts that the next request to the lead source depends on.
public struct RequestFacts: Sendable {
    public var sources: SourceFacts
    /// The validator of the lead's first accepted response; nil before that response.
    public var ownValidator: Validator?
    /// Which forms of `If-Range` the host honours.
    public var ifRange: IfRangeMemory
    /// The version of the file that need not be sent; nil for none.
    public var known: KnownVersion?
    public var now: Timestamp

    public init(
        _ sources: SourceFacts,
        ownValidator: Validator? = nil,
        ifRange: IfRangeMemory = IfRangeMemory(),
        known: KnownVersion? = nil,
        now: Timestamp
    ) {
        self.sources = sources
        self.ownValidator = ownValidator
        self.ifRange = ifRange
        self.known = known
        self.now = now
    }
}
