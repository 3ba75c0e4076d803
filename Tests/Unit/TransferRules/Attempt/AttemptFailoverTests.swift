import Testing

@testable import Core
@testable import HTTPFields
@testable import TransferRules

/// The table of an attempt whose source fails, or whose file is wrong.
struct AttemptFailoverTests {
    private typealias F = AttemptFixture

    private static let ftp = FTPScheme(isOverTLS: false)

    private static func ftpFailure(_ code: Int) -> TransferFailure {
        TransferFailure(curlCode: code, stage: .header, isOfFileServer: true)
    }

    @Test(arguments: [
        AttemptRow(
            "the only source fails",
            F.requested(F.state()),
            { $0.requestFailed(.failed(F.refused), nil, F.sources()) },
            .end(.failed(F.refused))
        ),
        AttemptRow(
            "the only source's host must wait",
            F.requested(F.state()),
            { $0.requestFailed(.deferred(F.wait), nil, F.sources()) },
            .end(.deferred(F.wait))
        ),
        AttemptRow(
            "one of two fails",
            F.requested(F.state()),
            { $0.requestFailed(.failed(F.refused), nil, F.sources(2)) },
            .prepareRequest(recording: .failed(.primary)),
            ExpectedState(lead: 1)
        ),
        AttemptRow(
            "one of two must wait, which is no failure",
            F.requested(F.state()),
            { $0.requestFailed(.deferred(F.wait), nil, F.sources(2)) },
            .prepareRequest(recording: nil),
            ExpectedState(lead: 1)
        ),
        AttemptRow(
            "the disk fails, which is no source's fault",
            F.requested(F.state()),
            { $0.failed(.failed(F.full), F.sources(2)) },
            .end(.failed(F.full))
        ),
        AttemptRow(
            "nothing was asked",
            F.state(),
            { $0.requestFailed(.failed(F.refused), nil, F.sources()) },
            .end(.outOfOrder)
        ),
        AttemptRow(
            "the file ends before the byte",
            F.requested(F.state(40, rules: ftp, F.file), from: 40),
            { $0.requestFailed(.failed(ftpFailure(36)), .restart(.totalChanged, withThisBody: nil), F.sources()) },
            .restart(AttemptRestart("total_changed", isChange: true))
        ),
        AttemptRow(
            "the server cannot begin there",
            F.requested(F.state(40, rules: ftp, F.file), from: 40),
            {
                let decision = ResponseDecision.requestWithoutRange(.rangeNotSatisfiable, flagsHost: true)
                return $0.requestFailed(.failed(ftpFailure(31)), decision, F.sources())
            },
            .prepareRequest(recording: .refusesRanges(.primary)),
            ExpectedState(repeatsWithoutRange: true, unproductive: 1, durable: 40, representation: 0)
        ),
        AttemptRow(
            "the server cannot begin there, for the fourth time",
            F.requested(F.state(40, rules: ftp, F.file), from: 40) { $0.requestsWithoutProgress = 3 },
            {
                let decision = ResponseDecision.requestWithoutRange(.rangeNotSatisfiable, flagsHost: true)
                return $0.requestFailed(.failed(ftpFailure(31)), decision, F.sources())
            },
            .end(.failed(ftpFailure(31)))
        ),
    ])
    func aSourceFails(_ row: AttemptRow) { row.check() }

    @Test(arguments: [
        AttemptRow(
            "another's file differs",
            F.requested(F.state(40, of: 1).leading(0), from: 40),
            { $0.responded(.restart(.etagChanged, withThisBody: F.body()), F.response(2)) },
            .prepareRequest(recording: nil),
            ExpectedState(lead: 1, durable: 40, representation: 1)
        ),
        AttemptRow(
            "another refuses the range",
            F.requested(F.state(40, of: 1).leading(0), from: 40),
            { $0.responded(.requestWithoutRange(.multipart, flagsHost: true), F.response(2)) },
            .prepareRequest(recording: nil),
            ExpectedState(lead: 1, durable: 40, representation: 1)
        ),
        AttemptRow(
            "another's digests say that it is another file",
            F.requested(F.state(40, of: 1).leading(0), from: 40),
            { $0.responded(.accept(F.body(at: 40)), F.response(2, contradicts: true)) },
            .prepareRequest(recording: nil),
            ExpectedState(lead: 1, durable: 40, representation: 1)
        ),
        AttemptRow(
            "the own source's digests say something else",
            F.requested(F.state(40), from: 40),
            { $0.responded(.accept(F.body(at: 40)), F.response(2, contradicts: true)) },
            .receive(F.body(at: 40), fromStart: false)
        ),
        AttemptRow(
            "another's file takes the place of the bytes",
            F.requested(F.state(40, of: 1).leading(0)) { $0.mode = .replace },
            { $0.responded(.restart(.notResumable, withThisBody: F.body()), F.response(2)) },
            .restart(AttemptRestart("source_failed", body: F.body()))
        ),
        AttemptRow(
            "the same, of a file that was seen to differ",
            F.requested(F.state(40, of: 1).leading(0)) {
                $0.mode = .replace
                $0.differences = [.primary: .etagChanged]
            },
            { $0.responded(.restart(.notResumable, withThisBody: F.body()), F.response(2)) },
            .restart(AttemptRestart("etag_changed", body: F.body()))
        ),
    ])
    func anotherSourceIsCompared(_ row: AttemptRow) { row.check() }

    @Test func theFileRestartsWhenNoSourceCanContinue() {
        var state = F.requested(F.state(40), from: 40)

        #expect(state.failed(.failed(F.refused), F.sources(2)) == .prepareRequest(recording: .failed(.primary)))
        state = F.requested(state, from: 40)
        let decision = ResponseDecision.restart(.totalChanged, withThisBody: nil)
        #expect(state.responded(decision, F.response(2)) == .prepareRequest(recording: nil))
        #expect(ExpectedState(state) == ExpectedState(lead: 1, mode: .replace, durable: 40, representation: 0))
        state = F.requested(state)
        #expect(state.failed(.failed(F.gone), F.sources(2)) == .end(.failed(F.refused)))
    }

    @Test func sourcesThatAllHaveAnotherFileEndTheAttempt() {
        var state = F.requested(F.state(40), from: 40)
        for _ in 0..<4 {
            guard
                state.responded(.restart(.totalChanged, withThisBody: nil), F.response(2))
                    == .prepareRequest(recording: nil)
            else {
                break
            }
            state = F.requested(state, from: 40)
        }

        #expect(state.mode == .replace)
    }

    @Test func aMetalinkNamesTheSources() {
        var state = F.requested(F.state(40))

        #expect(state.metalinkRead(representation: nil) == .prepareRequest(recording: nil))
        #expect(ExpectedState(state) == ExpectedState(durable: 40))
        #expect(state.metalinkRead(representation: SourceID(2)) == .prepareRequest(recording: nil))
        #expect(ExpectedState(state) == ExpectedState(lead: 2, durable: 40, representation: 2))
    }

    // MARK: - A wrong file

    private static let anew = AttemptAction.restart(AttemptRestart("checksum_mismatch"))

    @Test(arguments: [
        AttemptRow(
            "one source brought it",
            F.state(),
            { $0.finishFailed(F.wrong, F.sources(2), contributors: [.primary]) },
            anew,
            ExpectedState(lead: 1, mismatches: 1)
        ),
        AttemptRow(
            "two brought it",
            F.state(),
            { $0.finishFailed(F.wrong, F.sources(2), contributors: [.primary, SourceID(1)]) },
            anew,
            ExpectedState(mismatches: 1)
        ),
        AttemptRow(
            "an earlier attempt brought some of it",
            F.state(40),
            { $0.finishFailed(F.wrong, F.sources(2), contributors: [.primary]) },
            anew,
            ExpectedState(durable: 40, representation: 0, mismatches: 1)
        ),
        AttemptRow(
            "there is no other source",
            F.state(),
            { $0.finishFailed(F.wrong, F.sources(), contributors: [.primary]) },
            .end(.failed(F.wrong))
        ),
        AttemptRow(
            "it is the third",
            F.state(mismatches: 2),
            { $0.finishFailed(F.wrong, F.sources(2), contributors: [.primary]) },
            .end(.failed(F.wrong))
        ),
        AttemptRow(
            "something else failed",
            F.state(),
            { $0.finishFailed(F.full, F.sources(2), contributors: [.primary]) },
            .end(.failed(F.full))
        ),
    ])
    func aFileThatIsWrongIsFetchedFromOneSource(_ row: AttemptRow) { row.check() }

    /// Whatever comes, an attempt asks its sources so often and no more.
    @Test func anAttemptEndsWhateverTheSourcesDo() {
        var random = SystemRandomNumberGenerator()
        let decisions: [ResponseDecision] = [
            .accept(F.body()), .restart(.etagChanged, withThisBody: nil),
            .restart(.notResumable, withThisBody: F.body()),
            .requestWithoutRange(.multipart, flagsHost: true), .requestWithOtherCondition, .retry(F.refused),
            .fail(F.gone.error), .alreadyComplete, .notModified,
        ]
        for _ in 0..<1000 {
            var state = F.state(.random(in: 0...1, using: &random) * 40)
            var action = AttemptAction.prepareRequest(recording: nil)
            var requests = 0
            while requests < 200 {
                switch action {
                case .prepareRequest: action = state.request(F.facts(3))
                case .send:
                    requests += 1
                    action = state.responded(decisions[.random(in: 0..<decisions.count, using: &random)], F.response(3))
                case .restart(let restart): action = state.restarted(restart, F.sources(3))
                case .receive: action = state.bodyEnded(.incomplete, F.sources(3))
                case .keepFile: action = state.keptFileChanged(F.sources(3))
                case .readMetalink, .finish, .end: break
                }
                if case .end = action { break }
                if case .finish = action { break }
            }
            #expect(requests < 200)
        }
    }
}
