import Testing

@testable import Core
@testable import HTTPFields
@testable import TransferRules

/// The table of an attempt: in each state the event, the action, and the new state.
struct AttemptStateTests {
    private typealias F = AttemptFixture

    private static let whole = SentRequest()

    private static func range(_ first: Int64, _ condition: RangeCondition) -> SentRequest {
        SentRequest(range: RequestedRange(first: first, last: 99, condition: condition))
    }

    private static let tag = EntityTag("\"a\"").map { RangeCondition.ifRange($0) } ?? .none(overlap: 0)

    // MARK: - The lead is to be asked

    @Test(arguments: [
        AttemptRow(
            "nothing is stored",
            F.state(),
            { $0.request(F.facts()) },
            .send(whole, F.stored(0)),
            ExpectedState(phase: .requested(whole, durableBytes: 0))
        ),
        AttemptRow(
            "some bytes are stored",
            F.state(40),
            { $0.request(F.facts()) },
            .send(range(40, tag), F.stored(40)),
            ExpectedState(phase: .requested(range(40, tag), durableBytes: 40), durable: 40, representation: 0)
        ),
        AttemptRow(
            "every byte is stored",
            F.state(100),
            { $0.request(F.facts()) },
            .finish,
            ExpectedState(phase: .finishing, durable: 100, representation: 0)
        ),
        AttemptRow(
            "a request is under way",
            F.requested(F.state(40), from: 40),
            { $0.request(F.facts()) },
            .end(.outOfOrder)
        ),
        AttemptRow(
            "the lead can add nothing to another's bytes",
            F.state(40, of: 1, Validator(total: 100)).leading(0),
            { $0.request(F.facts(2)) },
            .prepareRequest(recording: nil),
            ExpectedState(mode: .replace, durable: 40, representation: 1)
        ),
    ])
    func aRequestGoesOnWhereTheBytesEnd(_ row: AttemptRow) { row.check() }

    @Test func aRepeatedRequestHasNoRange() {
        var state = F.state(40)
        state.repeatsWithoutRange = true

        guard case .send(let request, _) = state.request(F.facts()) else {
            Issue.record("no request")
            return
        }
        #expect(request.range == nil && request.isRepeatWithoutRange)
    }

    @Test func aSourceThatReplacesTheFileIsAskedForItsOwn() {
        var state = F.state(40, of: 1).leading(0)
        state.mode = .replace

        guard case .send(let request, let stored) = state.request(F.facts(2)) else {
            Issue.record("no request")
            return
        }
        #expect(request.range == nil && stored.validator == nil && stored.durableBytes == 40)
    }

    // MARK: - A response

    @Test(arguments: [
        AttemptRow(
            "a whole body",
            F.requested(F.state()),
            { $0.responded(.accept(F.body()), F.response()) },
            .receive(F.body(), fromStart: true),
            ExpectedState(phase: .requested(whole, durableBytes: 0))
        ),
        AttemptRow(
            "a range",
            F.requested(F.state(40), from: 40),
            { $0.responded(.accept(F.body(at: 40)), F.response()) },
            .receive(F.body(at: 40), fromStart: false)
        ),
        AttemptRow(
            "a Metalink document",
            F.requested(F.state()),
            { $0.responded(.accept(F.body()), F.response(isMetalink: true)) },
            .readMetalink
        ),
        AttemptRow(
            "a Metalink document that is refused",
            F.requested(F.state()),
            { $0.responded(.retry(F.gone), F.response(isMetalink: true)) },
            .end(.failed(F.fromHost(F.gone)))
        ),
        AttemptRow(
            "another file, and its body",
            F.requested(F.state(40), from: 40),
            { $0.responded(.restart(.etagChanged, withThisBody: F.body()), F.response()) },
            .restart(AttemptRestart("etag_changed", isChange: true, body: F.body()))
        ),
        AttemptRow(
            "another file, for the fourth time",
            F.requested(F.state(40, changes: 3), from: 40),
            { $0.responded(.restart(.etagChanged, withThisBody: nil), F.response()) },
            .end(F.unstable)
        ),
        AttemptRow(
            "bytes that cannot be gone on with, however often",
            F.requested(F.state(40, changes: 3), from: 40),
            { $0.responded(.restart(.notResumable, withThisBody: nil), F.response()) },
            .restart(AttemptRestart("not_resumable"))
        ),
        AttemptRow(
            "a refused range",
            F.requested(F.state(40), from: 40),
            { $0.responded(.requestWithoutRange(.multipart, flagsHost: false), F.response()) },
            .prepareRequest(recording: nil),
            ExpectedState(repeatsWithoutRange: true, unproductive: 1, durable: 40, representation: 0)
        ),
        AttemptRow(
            "a refused range that tells of the host",
            F.requested(F.state(40), from: 40),
            { $0.responded(.requestWithoutRange(.multipart, flagsHost: true), F.response()) },
            .prepareRequest(recording: .refusesRanges(.primary)),
            ExpectedState(repeatsWithoutRange: true, unproductive: 1, durable: 40, representation: 0)
        ),
        AttemptRow(
            "an ignored condition",
            F.requested(F.state(40), from: 40),
            { $0.responded(.requestWithOtherCondition, F.response()) },
            .prepareRequest(recording: nil),
            ExpectedState(unproductive: 1, durable: 40, representation: 0)
        ),
        AttemptRow(
            "the fourth response without a new byte",
            F.requested(F.state(40), from: 40) { $0.requestsWithoutProgress = 3 },
            { $0.responded(.requestWithOtherCondition, F.response()) },
            .end(.failed(.noProgress))
        ),
        AttemptRow(
            "no more than there is",
            F.requested(F.state(100), from: 100),
            { $0.responded(.alreadyComplete, F.response()) },
            .finish,
            ExpectedState(phase: .finishing, durable: 100, representation: 0)
        ),
        AttemptRow(
            "a failure",
            F.requested(F.state()),
            { $0.responded(.retry(F.refused), F.response()) },
            .end(.failed(F.fromHost(F.refused)))
        ),
        AttemptRow(
            "a page in place of the file",
            F.requested(F.state()),
            { $0.responded(.retrySuspect(F.refused), F.response()) },
            .end(.failed(F.fromHost(F.refused).suspect))
        ),
        AttemptRow(
            "a refusal of the credentials",
            F.requested(F.state(40), from: 40),
            { $0.responded(.waitForCredentials(F.gone.error), F.response()) },
            .end(.failed(TransferFailure(F.gone.error, failureClass: .credentials)))
        ),
        AttemptRow(
            "a refusal for good",
            F.requested(F.state()),
            { $0.responded(.fail(F.refused.error), F.response()) },
            .end(.failed(TransferFailure(F.refused.error, failureClass: .permanent)))
        ),
        AttemptRow(
            "nothing was asked",
            F.state(),
            { $0.responded(.accept(F.body()), F.response()) },
            .end(.outOfOrder)
        ),
    ])
    func aResponseIsTakenOrRefused(_ row: AttemptRow) { row.check() }

    // MARK: - A body

    @Test(arguments: [
        AttemptRow(
            "every byte came",
            F.requested(F.state()),
            { $0.bodyEnded(.whole(size: 100), F.sources()) },
            .finish,
            ExpectedState(phase: .finishing, durable: 100)
        ),
        AttemptRow(
            "bytes are missing, and some came",
            F.requested(F.state()) { $0.requestsWithoutProgress = 2 },
            {
                $0.record(F.segments(40))
                return $0.bodyEnded(.incomplete, F.sources())
            },
            .prepareRequest(recording: nil),
            ExpectedState(durable: 40)
        ),
        AttemptRow(
            "bytes are missing, and none came",
            F.requested(F.state(40), from: 40),
            { $0.bodyEnded(.incomplete, F.sources()) },
            .prepareRequest(recording: nil),
            ExpectedState(unproductive: 1, durable: 40, representation: 0)
        ),
        AttemptRow(
            "bytes that came twice differ",
            F.requested(F.state(40), from: 40),
            { $0.bodyEnded(.overlapDiffers, F.sources()) },
            .restart(AttemptRestart("overlap_differs", isChange: true))
        ),
        AttemptRow("nothing was asked", F.state(), { $0.bodyEnded(.incomplete, F.sources()) }, .end(.outOfOrder)),
    ])
    func aBodyEnds(_ row: AttemptRow) { row.check() }

    @Test func aFileThatWasPutTogetherFromAFileServerIsAskedAboutOnceMore() {
        var state = F.requested(F.state(40, rules: FTPScheme(isOverTLS: false), F.file), from: 40)

        #expect(state.bodyEnded(.whole(size: 100), F.sources()) == .prepareRequest(recording: nil))
        guard case .send(let request, _) = state.request(F.facts()) else {
            Issue.record("no request")
            return
        }
        #expect(request.range?.first == 100)
        #expect(state.responded(.alreadyComplete, F.response()) == .finish)
    }

    @Test func aResponseSaysWhatTheFileIsUnlessAnotherSourceHas() {
        var first = F.requested(F.state())
        let isFirst = first.bodyBegins(F.body(), fromStart: true)
        #expect(isFirst)
        #expect(first.representation == .primary && first.stored.validator == F.validator)

        var further = F.requested(F.state(40, of: 1).leading(0), from: 40)
        let isFurther = !further.bodyBegins(F.body(at: 40), fromStart: false)
        #expect(isFurther)
        #expect(further.representation == SourceID(1))
    }

    // MARK: - What is stored

    @Test(arguments: [
        AttemptRow(
            "a change, and its body",
            F.requested(F.state(40), from: 40),
            { $0.restarted(AttemptRestart("etag_changed", isChange: true, body: F.body()), F.sources()) },
            .receive(F.body(), fromStart: true),
            ExpectedState(phase: F.requested(F.state(40), from: 40).phase, changes: 1)
        ),
        AttemptRow(
            "without a body",
            F.requested(F.state(40), from: 40),
            { $0.restarted(AttemptRestart("not_resumable"), F.sources()) },
            .prepareRequest(recording: nil),
            ExpectedState(unproductive: 1, isRefetching: true)
        ),
        AttemptRow(
            "before the first request",
            F.state(40),
            { $0.restarted(AttemptRestart("part_missing"), F.sources()) },
            .prepareRequest(recording: nil),
            ExpectedState(isRefetching: true)
        ),
    ])
    func theBytesAreGivenUp(_ row: AttemptRow) { row.check() }

    @Test func theFileThatWasIsRemembered() {
        var state = F.requested(F.state(40), from: 40)
        _ = state.restarted(AttemptRestart("etag_changed", isChange: true), F.sources())

        #expect(state.stored.previousFile == F.validator)
        #expect(state.stored.validator == nil)
    }

    @Test func onlyBytesThatWereNeverThereAreProgress() {
        var state = F.state()
        state.record(F.segments(40))
        #expect(state.madeProgress)

        var refetching = F.state(40)
        _ = refetching.restarted(AttemptRestart("part_missing"), F.sources())
        refetching.record(F.segments(60))
        #expect(!refetching.madeProgress && refetching.stored.durableBytes == 60)
    }

    @Test(arguments: [(0, true), (1, false)])
    func afterAWrongFileOneConnectionBringsIt(mismatches: Int, maySegment: Bool) {
        let size: Int64 = 1 << 30
        let body = AcceptedBody(
            writeOffset: 0,
            expectedLength: size,
            total: size,
            validator: Validator(etag: EntityTag("\"1\""), total: size),
            isLengthProvable: true
        )
        let state = F.state(mismatches: mismatches)

        let may = state.maySegment(body, hasMirrors: false, hasDigest: false, leastBytes: RampRules().leastDivisible)
        #expect(may == maySegment)
    }
}

extension AttemptState {
    /// The same with another lead.
    func leading(_ source: Int) -> Self {
        var state = self
        state.lead = SourceID(source)
        return state
    }
}
