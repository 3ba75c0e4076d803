public import Core

/// The state machine of one attempt at a download: which source is asked for what, and what follows each response.
///
/// It is a value without effects. Each event is a method that returns the next action; `Attempt` in Transfer carries it
/// out and reports the next event. A cancelled task, a lost claim and progress that cannot be recorded end an attempt
/// in any state, so they are no events.
public struct AttemptState: Sendable {
    /// The state between two events.
    enum Phase: Hashable, Sendable {
        /// No request is under way.
        case idle
        /// - Parameter durableBytes: The stored bytes when the request was sent.
        case requested(SentRequest, durableBytes: Int64)
        /// Every byte is stored.
        case finishing
    }

    /// What to ask the lead source for.
    enum ResumeMode: Hashable, Sendable {
        /// The missing bytes of the file.
        case resume
        /// The file from byte 0, replacing stored bytes that no source could continue.
        case replace
    }

    public let rules: any SourceScheme
    /// The stored state. Its durable bytes are the recorded ones.
    public internal(set) var stored: StoredState
    public internal(set) var segments: [Segment]
    /// The lead: the source that the attempt itself asks. Further connections may ask others.
    public internal(set) var lead: SourceID
    /// The source whose response described the file; nil before the first response, or if it is no source any more.
    public internal(set) var representation: SourceID?
    /// How many whole files did not match a digest, in this and earlier attempts.
    public internal(set) var mismatches: Int
    /// Whether the incoming bytes replace dropped ones of an unchanged file.
    public internal(set) var isRefetching = false
    /// Whether a byte became durable that the download did not have before.
    public internal(set) var madeProgress = false

    var phase = Phase.idle
    var mode = ResumeMode.resume
    /// Whether the next request repeats the last one without its range.
    var repeatsWithoutRange = false
    /// Requests to the lead in a row without a new byte.
    var requestsWithoutProgress = 0
    /// How often the origin's file has changed, in this and earlier attempts.
    var changes: Int
    var failover = Failover()
    /// Why a source's file differs from the one begun.
    var differences: [SourceID: RestartReason] = [:]
    /// The sources that alone sent a file that did not match a digest.
    var mismatchedSources: Set<SourceID> = []
    /// The bytes that earlier attempts stored, from all sources.
    let resumedBytes: Int64

    /// How many responses without a new byte one attempt allows. A short range is followed by another request, but not
    /// without end.
    static let requestsWithoutProgressLimit = 4
    /// How often a file with a wrong digest is fetched again if there are several sources.
    static let mismatchLimit = 2

    /// - Parameters:
    ///   - representation: The source of the stored bytes.
    ///   - changes: How often the file has changed in earlier attempts.
    ///   - mismatches: How many files did not match a digest in earlier attempts.
    public init(
        rules: any SourceScheme,
        stored: StoredState,
        segments: [Segment] = [],
        representation: SourceID? = nil,
        changes: Int = 0,
        mismatches: Int = 0
    ) {
        self.rules = rules
        self.stored = stored
        self.segments = segments
        self.representation = representation
        lead = representation ?? .primary
        self.changes = changes
        self.mismatches = mismatches
        resumedBytes = stored.durableBytes
    }

    /// What proves that bytes of another source belong to the file.
    public func agreement(hasDigest: Bool) -> SourceAgreement {
        SourceAgreement(stored.validator, hasDigest: hasDigest)
    }

    /// Whether the lead's responses are compared with bytes of another source.
    var comparesWithOtherSource: Bool {
        lead != representation && stored.durableBytes > 0 && stored.validator != nil
    }

    /// Whether several connections may fetch the rest of a body: a validator proves its ranges, and enough bytes are
    /// missing. After a wrong digest one connection fetches the file, so that nothing is combined.
    ///
    /// - Parameter minimumShare: The fewest bytes for which a connection is opened.
    public func maySegment(
        _ body: AcceptedBody,
        hasMirrors: Bool,
        hasDigest: Bool,
        minimumShare: Int64
    ) -> Bool {
        guard let total = body.total, mismatches == 0, rules.abilities.segments else { return false }
        // Until repeated bytes were compared, nothing proves that the rest is of the same file.
        guard body.overlapToCompare == 0, hasMirrors || !stored.hostHasNoRanges else { return false }
        switch body.validator.strength {
        case .entityTag, .date: break
        case .dateBesideWeakTag, .none:
            guard hasMirrors, agreement(hasDigest: hasDigest) == .digest else { return false }
        }
        return total - stored.durableBytes >= 2 * minimumShare
    }
}

// MARK: - What is stored

extension AttemptState {
    /// Updates the recorded segments.
    public mutating func record(_ segments: [Segment]) {
        self.segments = segments
        let durableBytes = segments.durableBytes
        guard durableBytes > stored.durableBytes else { return }
        stored.durableBytes = durableBytes
        if !isRefetching { madeProgress = true }
    }

    /// Keeps only these segments of the part file.
    public mutating func retain(_ segments: [Segment]) {
        self.segments = segments
        stored.durableBytes = segments.durableBytes
    }

    /// The body of a response begins.
    ///
    /// - Returns: Whether its response describes the file. Otherwise the description by another source stays valid.
    public mutating func bodyBegins(_ body: AcceptedBody, fromStart: Bool) -> Bool {
        if fromStart { segments = [] }
        guard fromStart || lead == representation || representation == nil && stored.durableBytes == 0 else {
            return false
        }
        stored.validator = body.validator
        representation = lead
        return true
    }

    /// The stored bytes were dropped, and the new generation is recorded.
    public mutating func restarted(_ restart: AttemptRestart, _ sources: SourceFacts) -> AttemptAction {
        if restart.isChange { changes += 1 } else { isRefetching = true }
        representation = nil
        segments = []
        stored.durableBytes = 0
        stored.previousFile = stored.validator ?? stored.previousFile
        stored.validator = nil
        guard case .requested = phase else { return .prepareRequest(recording: nil) }
        mode = .resume
        guard let body = restart.body else { return requestAgain(sources) }
        return .receive(body, fromStart: true)
    }
}
