import Core
import TestSupport
import Testing
import TransferRules

/// The breaker as callers see it: through the governor of its host.
@Suite struct CircuitBreakerTests {
    private let begin = Timestamp(milliseconds: 1_000_000)
    private let downloads: [DownloadID]

    init() {
        var random = SplitMix64(seed: 2)
        let begin = begin
        downloads = (0..<4).map { _ in DownloadID(at: begin, using: &random) }
    }

    private func broken() -> HostGovernor {
        var governor = HostGovernor(maxLimit: 8)
        for number in 0..<5 { governor.recordFailure(at: begin, of: downloads[number % 2]) }
        return governor
    }

    @Test(
        arguments: [
            ([0, 1, 0, 1], false), ([0, 1, 0, 1, 0], true), ([0, 0, 0, 0, 1], true), ([0, 1, 2, 3, 0], true),
            // One download alone may be at fault itself.
            ([0, 0, 0, 0, 0, 0, 0], false), ([0, 0, 0, 0, 0, 0, 1], true),
        ]
    )
    func fiveFailuresInARowOfTwoDownloadsOpenIt(failures: [Int], isOpen: Bool) {
        var governor = HostGovernor(maxLimit: 8)
        for number in failures { governor.recordFailure(at: begin, of: downloads[number]) }

        let admission = governor.mayOpen(at: begin, open: 0, for: downloads[3])

        #expect(admission == (isOpen ? .wait(until: begin + .seconds(30), reason: .failures) : .open))
        #expect(governor.snapshot(at: begin, open: 0).state == (isOpen ? .blocked : .available))
        #expect(!governor.isPristine(at: begin))
    }

    @Test func aSuccessInBetweenBeginsTheCountAnew() {
        var governor = HostGovernor(maxLimit: 8)
        for number in 0..<4 { governor.recordFailure(at: begin, of: downloads[number]) }
        governor.recordSuccess(at: begin)
        governor.recordFailure(at: begin, of: downloads[0])

        let admission = governor.mayOpen(at: begin, open: 0, for: downloads[0])

        #expect(admission == .open)
    }

    @Test func afterThePauseOneDownloadMayProbe() {
        var governor = broken()
        let due = begin + .seconds(30)

        let early = governor.mayOpen(at: due - .milliseconds(1), open: 0, for: downloads[0])
        let before = governor.snapshot(at: due, open: 8)
        // Whatever is open from before.
        let probe = governor.mayOpen(at: due, open: 8, for: downloads[2])
        let other = governor.mayOpen(at: due, open: 9, for: downloads[1])

        #expect(early == .wait(until: due, reason: .failures))
        #expect(probe == .open && other == .wait(until: due + .seconds(30), reason: .probe))
        #expect(before.state == .probing && before.heldUntil == nil && before.reason == nil)
        #expect(governor.snapshot(at: due, open: 9).reason == .probe)
    }

    @Test func aProbeThatSucceedsClosesIt() {
        var governor = broken()
        _ = governor.mayOpen(at: begin + .seconds(30), open: 0, for: downloads[2])

        governor.recordSuccess(at: begin + .seconds(31))

        let admission = governor.mayOpen(at: begin + .seconds(31), open: 1, for: downloads[0])
        #expect(admission == .open && governor.isPristine(at: begin + .seconds(31)))
    }

    @Test func thePauseDoublesWithEachProbeThatFailsUpToFiveMinutes() {
        var governor = broken()
        var now = begin
        var pauses: [Duration] = []
        for _ in 0..<6 {
            guard case .wait(let until?, .failures) = governor.mayOpen(at: now, open: 0, for: downloads[0]) else {
                break
            }
            pauses.append(until - now)
            now = until
            _ = governor.mayOpen(at: now, open: 0, for: downloads[0])
            governor.recordFailure(at: now, of: downloads[0])
        }

        #expect(pauses == [30, 60, 120, 240, 300, 300].map { .seconds($0) })
    }

    @Test func afterASuccessThePauseIsShortAgain() {
        var governor = broken()
        _ = governor.mayOpen(at: begin + .seconds(30), open: 0, for: downloads[0])
        governor.recordFailure(at: begin + .seconds(30), of: downloads[0])
        governor.recordSuccess(at: begin + .seconds(40))
        for number in 0..<5 { governor.recordFailure(at: begin + .seconds(50), of: downloads[number % 2]) }

        let admission = governor.mayOpen(at: begin + .seconds(50), open: 0, for: downloads[0])

        #expect(admission == .wait(until: begin + .seconds(80), reason: .failures))
    }

    @Test func failuresOfConnectionsFromBeforeSayNothingNew() {
        var governor = broken()
        for _ in 0..<20 { governor.recordFailure(at: begin + .seconds(20), of: downloads[1]) }
        let whileOpen = governor.mayOpen(at: begin + .seconds(20), open: 0, for: downloads[0])
        _ = governor.mayOpen(at: begin + .seconds(30), open: 0, for: downloads[2])
        governor.recordFailure(at: begin + .seconds(31), of: downloads[1])

        let whileProbed = governor.mayOpen(at: begin + .seconds(31), open: 0, for: downloads[0])

        #expect(whileOpen == .wait(until: begin + .seconds(30), reason: .failures))
        #expect(whileProbed == .wait(until: begin + .seconds(60), reason: .probe))
    }

    @Test func aProbeThatIsNeverHeardOfIsFollowedByAnother() {
        var governor = broken()
        _ = governor.mayOpen(at: begin + .seconds(30), open: 0, for: downloads[2])

        let next = governor.mayOpen(at: begin + .seconds(60), open: 0, for: downloads[3])

        #expect(next == .open)
    }

    @Test func aProbeThatIsTurnedAwayWaitsAsLongAgain() {
        var governor = broken()
        _ = governor.mayOpen(at: begin + .seconds(30), open: 0, for: downloads[2])
        governor.recordRefusal(at: begin + .seconds(31), of: downloads[2], open: .max)

        let admission = governor.mayOpen(at: begin + .seconds(32), open: 0, for: downloads[0])

        #expect(admission == .wait(until: begin + .seconds(61), reason: .failures))
    }

    @Test func aClockThatIsSetBackHoldsForNoMoreThanThePause() {
        var governor = broken()
        let past = begin - .seconds(86_400)

        let admission = governor.mayOpen(at: past, open: 0, for: downloads[0])
        let later = governor.mayOpen(at: past + .seconds(30), open: 0, for: downloads[0])

        #expect(admission == .wait(until: past + .seconds(30), reason: .failures) && later == .open)
    }

    @Test func aRefusalIsNoFailure() {
        var governor = HostGovernor(maxLimit: 8)
        for number in 0..<20 { governor.recordRefusal(at: begin, of: downloads[number % 4], open: .max) }

        let admission = governor.mayOpen(at: begin, open: 0, for: downloads[0])

        #expect(admission == .open && governor.snapshot(at: begin, open: 4).reason == .connectionLimit)
    }
}
