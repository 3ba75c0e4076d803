public import Core

/// The state machine of one attempt at a download: which source is asked for what, and what follows from what came.
///
/// It is a value without effects. Each event is a method that returns the action to carry out next; `Attempt` in
/// Transfer carries it out and reports what came of it. What no source has a part in (the task is cancelled, the claim
/// is lost, progress cannot be recorded) ends an attempt in any state, and is no event.
public struct AttemptState: Sendable {
    /// Where the attempt stands between two events.
    enum Phase: Hashable, Sendable {
        /// No request is under way.
        case idle
        /// - Parameter durableBytes: What was stored when the request was sent.
        case requested(SentRequest, durableBytes: Int64)
        /// Every byte is here.
        case finishing
    }

    /// What the lead is asked for.
    enum ResumeMode: Hashable, Sendable {
        /// What is missing of the file that was begun.
        case resume
        /// The file from its start, in place of the bytes at hand, which no source could go on with.
        case replace
    }

    public let rules: any SourceScheme
    /// What is stored, as the rules see it. Its durable bytes are those recorded.
    public internal(set) var stored: StoredState
    public internal(set) var segments: [Segment]
    /// The source that the attempt itself asks; further connections may ask others.
    public internal(set) var lead: SourceID
    /// The source that said what the file is; nil before one has, or where it is none of the sources any more.
    public internal(set) var representation: SourceID?
    /// Files fetched whole that did not match a digest, in earlier attempts and this one.
    public internal(set) var mismatches: Int
    /// Whether the bytes that come replace others that were given up, though the origin's file had not changed.
    public internal(set) var isRefetching = false
    /// Whether a byte became durable that the download had not had before.
    public internal(set) var madeProgress = false

    var phase = Phase.idle
    var mode = ResumeMode.resume
    /// Whether the next request repeats the last one without its range.
    var repeatsWithoutRange = false
    /// Requests to the lead in a row that brought no new byte.
    var requestsWithoutProgress = 0
    /// How often the origin's file has changed, in earlier attempts and this one.
    var changes: Int
    var failover = Failover()
    /// In what a source's file differs from the one begun.
    var differences: [SourceID: RestartReason] = [:]
    /// The sources that brought a file by themselves that did not match a digest.
    var mismatchedSources: Set<SourceID> = []
    /// What earlier attempts had stored, from whichever source.
    let resumedBytes: Int64

    /// Responses without a new byte that one attempt bears. A short range is followed by another request, but not
    /// without end.
    static let requestsWithoutProgressLimit = 4
    /// Files that are fetched again because a digest did not match, where there are several sources.
    static let mismatchLimit = 2

    /// - Parameters:
    ///   - representation: The source that the stored bytes came from.
    ///   - changes: How often the file has changed in earlier attempts.
    ///   - mismatches: How many files have not matched a digest in earlier attempts.
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

    /// What proves the bytes of a source other than the first.
    public func agreement(hasDigest: Bool) -> SourceAgreement {
        SourceAgreement(stored.validator, hasDigest: hasDigest)
    }

    /// Whether the lead's file is compared with bytes of another source.
    var comparesWithOtherSource: Bool {
        lead != representation && stored.durableBytes > 0 && stored.validator != nil
    }

    /// Whether several connections may fetch the rest of a body: its ranges can be proved to be of the same file, and
    /// enough is missing to be worth a second one. A file that did not match a digest comes over one connection, so
    /// that nothing is put together.
    ///
    /// - Parameter minimumShare: The least that a connection is opened for.
    public func maySegment(
        _ body: AcceptedBody,
        hasMirrors: Bool,
        hasDigest: Bool,
        minimumShare: Int64
    ) -> Bool {
        guard let total = body.total, mismatches == 0, rules.abilities.segments else { return false }
        // Until the bytes that come twice are equal, nothing proves that the rest is of the same file.
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
    /// Notes what is durable and recorded.
    public mutating func record(_ segments: [Segment]) {
        self.segments = segments
        let durableBytes = segments.durableBytes
        guard durableBytes > stored.durableBytes else { return }
        stored.durableBytes = durableBytes
        if !isRefetching { madeProgress = true }
    }

    /// Notes that only these segments of the part file are sound.
    public mutating func retain(_ segments: [Segment]) {
        self.segments = segments
        stored.durableBytes = segments.durableBytes
    }

    /// The bytes of a body are about to come.
    ///
    /// - Returns: Whether its response says what the file is. Else another source has, and that goes on to hold.
    public mutating func bodyBegins(_ body: AcceptedBody, fromStart: Bool) -> Bool {
        if fromStart { segments = [] }
        guard fromStart || lead == representation || representation == nil && stored.durableBytes == 0 else {
            return false
        }
        stored.validator = body.validator
        representation = lead
        return true
    }

    /// The stored bytes are gone, and the new generation is recorded.
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
