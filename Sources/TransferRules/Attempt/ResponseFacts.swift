import Core

/// Facts about a response, in addition to its ``ResponseDecision``.
public struct ResponseFacts: Sendable {
    public var sources: SourceFacts
    /// Whether the digests in the response differ from the expected ones.
    public var contradictsDigests: Bool
    /// Whether the response is a Metalink document whose URLs are to be used.
    public var isMetalink: Bool
    /// The host that sent the response, after redirects.
    public var authority: String

    public init(
        _ sources: SourceFacts,
        contradictsDigests: Bool = false,
        isMetalink: Bool = false,
        authority: String
    ) {
        self.sources = sources
        self.contradictsDigests = contradictsDigests
        self.isMetalink = isMetalink
        self.authority = authority
    }
}
