import Core

/// The next action of an attempt, as ``AttemptState`` decides.
///
/// An action that does not use the open response discards it.
public indirect enum AttemptAction: Hashable, Sendable {
    /// Send a request to the lead source. ``AttemptState/request(_:)`` plans it.
    ///
    /// - Parameter recording: A finding about a source, to be recorded first.
    case prepareRequest(recording: SourceFinding?)
    /// Send the request to the lead source. Its response is validated against this stored state.
    case send(SentRequest, StoredState)
    /// Read the body of the open response as a Metalink document.
    case readMetalink
    /// Receive the body of the open response.
    ///
    /// - Parameter fromStart: Whether the body begins at byte 0. The part file is then truncated first.
    case receive(AcceptedBody, fromStart: Bool)
    /// Discard the stored bytes and begin a new generation of the part file.
    case restart(AttemptRestart)
    /// Verify and publish the file: all of its bytes are stored.
    case finish
    /// Keep the file that was downloaded before. If it is no longer the same, report
    /// ``AttemptState/keptFileChanged(_:)``.
    case keepFile
    /// End the attempt.
    case end(SourceFailure)

    /// Whether the action uses the body of the open response.
    public var usesResponse: Bool {
        switch self {
        case .receive, .readMetalink: true
        case .restart(let restart): restart.body != nil
        case .prepareRequest, .send, .finish, .keepFile, .end: false
        }
    }
}

/// A finding of an attempt about a source.
public enum SourceFinding: Hashable, Sendable {
    /// The source failed, and another source is now the lead.
    case failed(SourceID)
    /// The host does not serve ranges reliably.
    case refusesRanges(SourceID)
}

/// A restart of the download: the stored bytes are discarded.
public struct AttemptRestart: Hashable, Sendable {
    /// The reason, as stored and as shown in the download's events.
    public let reason: String
    /// Whether the origin's file has changed.
    public let isChange: Bool
    /// The body of the open response, which replaces the discarded bytes; nil if another request follows.
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
    /// Every byte of the file is stored, and the file has this size.
    case whole(size: Int64)
    /// Bytes are missing; another request will follow.
    case incomplete
    /// Repeated bytes differ from the stored ones.
    case overlapDiffers
}

/// The facts about the sources at the time of an event.
public struct SourceFacts: Sendable {
    public var list: SourceList
    /// Whether the digest of the whole file is known.
    public var hasDigest: Bool

    public init(_ list: SourceList, hasDigest: Bool = false) {
        self.list = list
        self.hasDigest = hasDigest
    }
}
