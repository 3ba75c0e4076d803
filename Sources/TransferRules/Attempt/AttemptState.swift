public import Core

/// The state machine of one attempt at a download: which request goes to which source, and what follows each response.
///
/// It is a value without effects. Each event is a method that returns the next action; `Attempt` in Transfer carries
/// out the action and reports the next event. A cancelled task, a lost claim and a progress write that fails end the
/// attempt in any state, so they are not events.
public struct AttemptState: Sendable {
    /// The phase between two events.
    enum Phase: Hashable, Sendable {
        /// No request is in progress.
        case idle
        /// - Parameter durableBytes: The number of durable bytes when the request was sent.
        case requested(SentRequest, durableBytes: Int64)
        /// Every byte is stored.
        case finishing
    }

    /// Which bytes to request from the lead source.
    enum ResumeMode: Hashable, Sendable {
        /// The missing bytes of the file.
        case resume
        /// The file from byte 0. It replaces stored bytes that no source could continue.
        case replace
    }

    public let rules: any SourceScheme
    /// The stored state. Its durable bytes are those already recorded.
    public internal(set) var stored: StoredState
    public internal(set) var segments: [Segment]
    /// The lead: the source of the attempt's main connection. Further connections may use other sources.
    public internal(set) var lead: SourceID
    /// The source whose response described the file; nil before the first response, or if the source was removed.
    public internal(set) var representation: SourceID?
    /// The number of complete files that were rejected, in this attempt and earlier ones.
    public internal(set) var mismatches: Int
    /// Whether the incoming bytes replace discarded bytes of an unchanged file.
    public internal(set) var isRefetching = false
    /// Whether this attempt stored a byte that the download never had before.
    public internal(set) var madeProgress = false

    var phase = Phase.idle
    var mode = ResumeMode.resume
    /// Whether the next request repeats the last one without a range.
    var repeatsWithoutRange = false
    /// The number of consecutive requests to the lead without a new byte.
    var requestsWithoutProgress = 0
    /// The number of changes of the origin's file, in this attempt and earlier ones.
    var changes: Int
    var failover = Failover()
    /// Why a source's file differs from the stored bytes.
    var differences: [SourceID: RestartReason] = [:]
    /// The sources that alone sent a complete file with a wrong digest.
    var mismatchedSources: Set<SourceID> = []
    /// The number of bytes that earlier attempts stored, from all sources.
    let resumedBytes: Int64

    /// The limit of consecutive requests without a new byte. A response with a short range is followed by another
    /// request, so there must be a limit.
    static let requestsWithoutProgressLimit = 4
    /// How often a file with a wrong digest is fetched again, if there are several sources.
    static let mismatchLimit = 2

    /// - Parameters:
    ///   - representation: The source of the stored bytes.
    ///   - changes: The number of changes of the file in earlier attempts.
    ///   - mismatches: The number of complete files that earlier attempts rejected.
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

    /// How it can be proved that another source's bytes belong to the same file.
    public func agreement(hasDigest: Bool) -> SourceAgreement {
        SourceAgreement(stored.validator, hasDigest: hasDigest)
    }

    /// Whether responses of the lead must be compared with the stored bytes of another source.
    var comparesWithOtherSource: Bool {
        lead != representation && stored.durableBytes > 0 && stored.validator != nil
    }

    /// Whether several connections may fetch the rest of the file: a validator or, with mirrors, a digest proves their
    /// ranges, and enough bytes are missing. After a digest mismatch a single connection fetches the file, so that no
    /// bytes are combined.
    ///
    /// - Parameter leastBytes: The smallest number of missing bytes for several connections.
    public func maySegment(
        _ body: AcceptedBody,
        hasMirrors: Bool,
        hasDigest: Bool,
        leastBytes: Int64
    ) -> Bool {
        guard let total = body.total, mismatches == 0, rules.abilities.segments else { return false }
        // Until the repeated bytes have been compared, the rest may belong to another file.
        guard body.overlapToCompare == 0, hasMirrors || !stored.hostHasNoRanges else { return false }
        switch body.validator.strength {
        case .entityTag, .date: break
        case .dateBesideWeakTag, .none:
            guard hasMirrors, agreement(hasDigest: hasDigest) == .digest else { return false }
        }
        return total - stored.durableBytes >= leastBytes
    }
}

// MARK: - Stored bytes

extension AttemptState {
    /// Updates the segments after their durable ends were recorded.
    public mutating func record(_ segments: [Segment]) {
        self.segments = segments
        let durableBytes = segments.durableBytes
        guard durableBytes > stored.durableBytes else { return }
        stored.durableBytes = durableBytes
        if !isRefetching { madeProgress = true }
    }

    /// Keeps only these segments of the part file and discards the others.
    public mutating func retain(_ segments: [Segment]) {
        self.segments = segments
        stored.durableBytes = segments.durableBytes
    }

    /// The body of a response begins.
    ///
    /// - Returns: True if this response now describes the file. False if the description by another source stays valid.
    public mutating func bodyBegins(_ body: AcceptedBody, fromStart: Bool) -> Bool {
        if fromStart { segments = [] }
        guard fromStart || lead == representation || representation == nil && stored.durableBytes == 0 else {
            return false
        }
        stored.validator = body.validator
        representation = lead
        return true
    }

    /// The stored bytes were discarded, and the new generation was recorded.
    public mutating func restarted(_ restart: AttemptRestart, _ sources: SourceFacts) -> AttemptAction {
        if restart.isChange { changes += 1 } else { isRefetching = true }
        if restart.reason == RestartReason.endUnproven.rawValue { mismatches += 1 }
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
