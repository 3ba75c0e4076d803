public import Core

/// What an attempt does next, as ``AttemptState`` decides.
///
/// An action that does not use the open response discards it.
public indirect enum AttemptAction: Hashable, Sendable {
    /// Ask the lead source: ``AttemptState/request(_:)`` plans the request.
    ///
    /// - Parameter recording: What to record about a source first.
    case prepareRequest(recording: SourceFinding?)
    /// Send the request to the lead source. Its response is validated against this stored state.
    case send(SentRequest, StoredState)
    /// Read the body of the open response as a Metalink document.
    case readMetalink
    /// Receive the body of the open response.
    ///
    /// - Parameter fromStart: Whether the body begins at byte 0; the part file is emptied then.
    case receive(AcceptedBody, fromStart: Bool)
    /// Discard the stored bytes, in a new generation.
    case restart(AttemptRestart)
    /// Every byte is here: verify and publish the file.
    case finish
    /// End the attempt.
    case end(SourceFailure)
}

/// What an attempt has learned about a source.
public enum SourceFinding: Hashable, Sendable {
    /// The source failed, and another one is the lead now.
    case failed(SourceID)
    /// The ranges of its host cannot be relied on.
    case refusesRanges(SourceID)
}

/// A restart: the stored bytes are dropped.
public struct AttemptRestart: Hashable, Sendable {
    /// For the record and the events of the download.
    public let reason: String
    /// Whether the origin's file has changed.
    public let isChange: Bool
    /// The body of the open response that replaces them; nil if another request follows.
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
    /// Bytes are missing; the next request asks for them.
    case incomplete
    /// Repeated bytes differ from the stored ones.
    case overlapDiffers
}

/// What is known about the sources at an event.
public struct SourceFacts: Sendable {
    public var list: SourceList
    /// Whether the digest of the whole file is known.
    public var hasDigest: Bool

    public init(_ list: SourceList, hasDigest: Bool = false) {
        self.list = list
        self.hasDigest = hasDigest
    }
}

/// What is known when the lead source is asked.
public struct RequestFacts: Sendable {
    public var sources: SourceFacts
    /// The validator of the lead's first accepted response; nil before it.
    public var ownValidator: Validator?
    /// Which forms of `If-Range` its host compares.
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

/// What is known about a response besides the decision.
public struct ResponseFacts: Sendable {
    public var sources: SourceFacts
    /// Whether its digests differ from the expected ones.
    public var contradictsDigests: Bool
    /// Whether it is a Metalink document to follow.
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
