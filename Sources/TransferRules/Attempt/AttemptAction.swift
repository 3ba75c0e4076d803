public import Core

/// What an attempt does next, as ``AttemptState`` decides.
///
/// An action that does not use the response at hand ends it: its body is not wanted.
public indirect enum AttemptAction: Hashable, Sendable {
    /// Ask the lead: ``AttemptState/request(_:)`` makes the request of what is known of it.
    ///
    /// - Parameter recording: What is to be remembered of a source first.
    case prepareRequest(recording: SourceFinding?)
    /// Send the request to the lead. Its response is validated against the stored state that comes with it.
    case send(SentRequest, StoredState)
    /// Read the body of the response at hand as a Metalink document.
    case readMetalink
    /// Take the body of the response at hand.
    ///
    /// - Parameter fromStart: Whether it is the file from its start: what a part file holds is cut off.
    case receive(AcceptedBody, fromStart: Bool)
    /// Discard the stored bytes, in a new generation.
    case restart(AttemptRestart)
    /// Every byte is here: verify and publish the file.
    case finish
    /// End the attempt.
    case end(SourceFailure)
}

/// What an attempt has learned of a source, for its connections and for other downloads.
public enum SourceFinding: Hashable, Sendable {
    /// The source failed, and another one is the lead now.
    case failed(SourceID)
    /// The ranges of its host cannot be relied on.
    case refusesRanges(SourceID)
}

/// Stored bytes that are given up.
public struct AttemptRestart: Hashable, Sendable {
    /// For the record and the events of the download.
    public let reason: String
    /// Whether the origin's file is another by now.
    public let isChange: Bool
    /// The response at hand that takes their place; nil where another request follows.
    public let body: AcceptedBody?

    public init(_ reason: String, isChange: Bool = false, body: AcceptedBody? = nil) {
        self.reason = reason
        self.isChange = isChange
        self.body = body
    }

    init(_ reason: RestartReason) {
        self.init(reason.rawValue, isChange: reason.isChange)
    }
}

/// How the body of a response ended.
public enum BodyEnd: Hashable, Sendable {
    /// The file has this size, and every byte of it is here.
    case whole(size: Int64)
    /// Bytes are missing, and the next response is to say why.
    case incomplete
    /// Bytes that came a second time were others.
    case overlapDiffers
}

/// What is known of the sources at an event.
public struct SourceFacts: Sendable {
    public var list: SourceList
    /// Whether the digest of the whole file is known.
    public var hasDigest: Bool

    public init(_ list: SourceList, hasDigest: Bool = false) {
        self.list = list
        self.hasDigest = hasDigest
    }
}

/// What is known when the lead is asked.
public struct RequestFacts: Sendable {
    public var sources: SourceFacts
    /// What the lead's first accepted response said; nil before there was one.
    public var ownValidator: Validator?
    /// What its host does with the forms of `If-Range`.
    public var ifRange: IfRangeMemory
    public var now: Timestamp

    public init(
        _ sources: SourceFacts,
        ownValidator: Validator? = nil,
        ifRange: IfRangeMemory = IfRangeMemory(),
        now: Timestamp
    ) {
        self.sources = sources
        self.ownValidator = ownValidator
        self.ifRange = ifRange
        self.now = now
    }
}

/// What is known of a response besides the decision on it.
public struct ResponseFacts: Sendable {
    public var sources: SourceFacts
    /// Whether its digests say that it is another file.
    public var contradictsDigests: Bool
    /// Whether a Metalink document came that is to be followed.
    public var isMetalink: Bool
    /// The host that sent it, after redirects.
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
