import Testing

@testable import Core
@testable import HTTPFields
@testable import TransferRules

/// One row of the table of an attempt: an event in a state, the action that follows, and the state after it.
struct AttemptRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let given: AttemptState
    let event: @Sendable (inout AttemptState) -> AttemptAction
    let action: AttemptAction
    /// What the state is held against; nil where only the action counts.
    let after: ExpectedState?

    init(
        _ name: String,
        _ given: AttemptState,
        _ event: @escaping @Sendable (inout AttemptState) -> AttemptAction,
        _ action: AttemptAction,
        _ after: ExpectedState? = nil
    ) {
        testDescription = name
        self.given = given
        self.event = event
        self.action = action
        self.after = after
    }

    func check() {
        var state = given
        #expect(event(&state) == action)
        if let after { #expect(ExpectedState(state) == after) }
    }
}

/// The part of a state that events change.
struct ExpectedState: Hashable, Sendable {
    var phase = AttemptState.Phase.idle
    var lead = 0
    var mode = AttemptState.ResumeMode.resume
    var repeatsWithoutRange = false
    var unproductive = 0
    var durable: Int64 = 0
    var representation: Int?
    var changes = 0
    var mismatches = 0
    var isRefetching = false
}

extension ExpectedState {
    init(_ state: AttemptState) {
        self.init(
            phase: state.phase,
            lead: state.lead.index,
            mode: state.mode,
            repeatsWithoutRange: state.repeatsWithoutRange,
            unproductive: state.requestsWithoutProgress,
            durable: state.stored.durableBytes,
            representation: state.representation?.index,
            changes: state.changes,
            mismatches: state.mismatches,
            isRefetching: state.isRefetching
        )
    }
}

/// The values that the rows are made of: a file of 100 bytes with a strong tag.
enum AttemptFixture {
    static let validator = Validator(etag: EntityTag("\"a\""), total: 100)
    static let file = Validator(
        lastModified: HTTPDate(secondsSinceEpoch: 1_000),
        isLastModifiedStrong: true,
        total: 100
    )
    static let refused = TransferFailure(DownloadError(.connectFailed, message: "refused"))
    static let gone = TransferFailure(DownloadError(httpStatus: 410))
    static let full = TransferFailure(DownloadError(.diskFull, message: "full"))
    static let wrong = TransferFailure(DownloadError(.checksumMismatch, message: "wrong"))
    static let wait = HostWait(authority: "0.example:80", until: nil, reason: .connectionLimit)
    static let unstable = SourceFailure.failed(
        TransferFailure(
            DownloadError(.originUnstable, message: "The origin's file changed 4 times during the download.")
        )
    )

    static func segments(_ durable: Int64) -> [Segment] {
        durable == 0 ? [] : [Segment(index: 0, start: 0, end: 100, durableEnd: durable)]
    }

    static func stored(_ durable: Int64, _ validator: Validator? = validator) -> StoredState {
        var state = StoredState(durableBytes: durable, validator: durable == 0 ? nil : validator)
        // Nothing is known of the host yet, so its other form of `If-Range` is worth a try.
        state.apply(IfRangeMemory(), at: Timestamp(milliseconds: 0))
        return state
    }

    /// - Parameter durable: What is stored, of the source `representation`.
    static func state(
        _ durable: Int64 = 0,
        of representation: Int = 0,
        rules: any SourceScheme = HTTPScheme(),
        _ validator: Validator? = validator,
        changes: Int = 0,
        mismatches: Int = 0
    ) -> AttemptState {
        AttemptState(
            rules: rules,
            stored: stored(durable, validator),
            segments: segments(durable),
            representation: durable == 0 ? nil : SourceID(representation),
            changes: changes,
            mismatches: mismatches
        )
    }

    /// The same once the lead was asked for the bytes from `first` on; for all of them where that is nil.
    static func requested(
        _ state: AttemptState,
        from first: Int64? = nil,
        _ change: (inout AttemptState) -> Void = { _ in }
    ) -> AttemptState {
        var state = state
        let range = first.map { RequestedRange(first: $0, last: 99, condition: .none(overlap: 0)) }
        state.phase = .requested(SentRequest(range: range), durableBytes: state.stored.durableBytes)
        change(&state)
        return state
    }

    static func sources(_ count: Int = 1, hasDigest: Bool = false) -> SourceFacts {
        SourceFacts(SourceList((0..<count).map(SourceListTests.url)), hasDigest: hasDigest)
    }

    static func facts(_ count: Int = 1, hasDigest: Bool = false, own: Validator? = nil) -> RequestFacts {
        RequestFacts(sources(count, hasDigest: hasDigest), ownValidator: own, now: Timestamp(milliseconds: 0))
    }

    static func response(
        _ count: Int = 1,
        hasDigest: Bool = false,
        contradicts: Bool = false,
        isMetalink: Bool = false
    ) -> ResponseFacts {
        ResponseFacts(
            sources(count, hasDigest: hasDigest),
            contradictsDigests: contradicts,
            isMetalink: isMetalink,
            authority: "h:80"
        )
    }

    static func body(at offset: Int64 = 0) -> AcceptedBody {
        AcceptedBody(
            writeOffset: offset,
            expectedLength: 100 - offset,
            total: 100,
            validator: validator,
            isLengthProvable: true
        )
    }

    static func fromHost(_ failure: TransferFailure) -> TransferFailure {
        var failure = failure
        failure.authority = "h:80"
        return failure
    }
}
