import Core
import TestSupport
import Testing
import TransferRules

@Suite struct HostGovernorTests {
    private let begin = Timestamp(milliseconds: 1_000_000)
    private let first: DownloadID
    private let second: DownloadID

    init() {
        var random = SplitMix64(seed: 1)
        first = DownloadID(at: begin, using: &random)
        second = DownloadID(at: begin, using: &random)
    }

    @Test func asManyAsTheMaximumAreOpenedAndTheNextWaitsForOneToClose() {
        var governor = HostGovernor(maxLimit: 3)

        let admissions = (0...4).map { governor.mayOpen(at: begin, open: $0, for: first) }

        #expect(
            admissions == [
                .open, .open, .open, .wait(until: nil, reason: .connectionLimit),
                .wait(until: nil, reason: .connectionLimit),
            ]
        )
    }

    @Test(arguments: [(16, [8, 4, 2, 1, 1]), (5, [2, 1, 1]), (1, [1, 1]), (0, [1])])
    func aRefusalHalvesTheLimitButNotBelowOne(maxLimit: Int, limits: [Int]) {
        var governor = HostGovernor(maxLimit: maxLimit)

        for (second, limit) in limits.enumerated() {
            governor.recordRefusal(at: begin + .seconds(second), of: first, open: .max)

            #expect(governor.limit == limit)
        }
    }

    @Test(arguments: [(64, 4), (5, 4), (4, 3), (2, 1), (1, 1), (0, 1)])
    func noMoreAreAllowedThanAreOpenBesideTheOneThatIsRefused(open: Int, limit: Int) {
        var governor = HostGovernor(maxLimit: 9)

        governor.recordRefusal(at: begin, of: first, open: open)

        #expect(governor.limit == limit)
    }

    @Test func aBurstOfRefusalsLeavesWhatIsOpenInTheEnd() {
        var governor = HostGovernor(maxLimit: 64)

        for open in [8, 7, 6, 5] { governor.recordRefusal(at: begin, of: first, open: open) }

        #expect(governor.limit == 4)
    }

    @Test func aBurstOfRefusalsCountsOnce() {
        var governor = HostGovernor(maxLimit: 16)
        for millisecond in stride(from: 0, to: 1000, by: 37) {
            governor.recordRefusal(at: begin + .milliseconds(millisecond), of: first, open: .max)
        }

        #expect(governor.limit == 8)
        governor.recordRefusal(at: begin + .milliseconds(1000), of: first, open: .max)
        #expect(governor.limit == 4)
    }

    /// A governor of 8 connections whose limit has fallen to 4, with one more waiting.
    private func lowered() -> HostGovernor {
        var governor = HostGovernor(maxLimit: 8)
        governor.recordRefusal(at: begin, of: first, open: .max)
        _ = governor.mayOpen(at: begin, open: 4, for: first)
        return governor
    }

    @Test func theLimitDoublesAfterFiveSecondsOfSuccess() {
        var governor = lowered()
        governor.recordSuccess(at: begin + .milliseconds(4999))
        let before = governor.limit

        governor.recordSuccess(at: begin + .seconds(5))

        #expect(before == 4 && governor.limit == 8)
    }

    @Test func theLimitDoublesAtMostOnceInFiveSeconds() {
        var governor = HostGovernor(maxLimit: 64)
        governor.recordRefusal(at: begin, of: first, open: 5)
        for millisecond in 0..<12_000 {
            _ = governor.mayOpen(at: begin + .milliseconds(millisecond), open: governor.limit, for: first)
            governor.recordSuccess(at: begin + .milliseconds(millisecond))
        }

        #expect(governor.limit == 16)
    }

    @Test func theEventsOfALimitAreShownNewestLast() {
        var governor = HostGovernor(maxLimit: 8)
        governor.recordRefusal(at: begin, of: first, open: 3, because: .tooManyRequests)
        _ = governor.mayOpen(at: begin, open: 2, for: second)
        governor.recordSuccess(at: begin + .seconds(5))

        let snapshot = governor.snapshot(at: begin + .seconds(5), open: 4)
        let expected = [
            HostEvent(at: begin, cause: .tooManyRequests, connectionLimit: 2),
            HostEvent(at: begin + .seconds(5), cause: .success, connectionLimit: 4),
        ]
        #expect(snapshot.events == expected)
        #expect(
            snapshot.waitingReason(of: "a.example:443") { "\($0.milliseconds)" }
                == "a.example:443 is limited to 4 connections after a 429 at 1000000, and all are in use."
        )
        #expect(governor.snapshot(at: begin, open: 3).waitingReason(of: "a") { _ in "" } == nil)
        for second in 0..<20 { governor.recordRefusal(at: begin + .seconds(second), of: first, open: 3) }
        #expect(governor.snapshot(at: begin, open: 0).events.count == 10)
    }

    /// One URL that answers 503 does not punish its host.
    @Test func a503WithoutRetryAfterIsTheHostsOnceASecondURLHasOne() {
        var governor = HostGovernor(maxLimit: 8)
        for second in 0..<5 { governor.recordUnavailable(at: begin + .seconds(second), of: first, open: 1) }
        #expect(governor.limit == 8)

        var late = governor
        late.recordUnavailable(at: begin + .seconds(64), of: second, open: 1)
        #expect(late.limit == 8)
        governor.recordUnavailable(at: begin + .seconds(63), of: second, open: 1)
        #expect(governor.limit == 1)
    }

    @Test func consecutiveRefusalsBlockAHostThatServesNone() {
        var unavailable = HostGovernor(maxLimit: 8)
        var reset = unavailable
        var crowded = unavailable
        for number in 0..<8 {
            let download = number.isMultiple(of: 2) ? first : second
            let now = begin + .milliseconds(10 * number)
            unavailable.recordUnavailable(at: now, of: download, open: 1)
            reset.recordRefusal(at: now, of: download, open: 1)
            crowded.recordUnavailable(at: now, of: download, open: 3)
            crowded.recordRefusal(at: now, of: download, open: 3)
        }
        let later = begin + .seconds(1)

        #expect(unavailable.snapshot(at: later, open: 0).state == .blocked)
        #expect(reset.snapshot(at: later, open: 0).state == .blocked)
        #expect(crowded.snapshot(at: later, open: 0).state == .available)
    }

    @Test func aHostThatServesInBetweenIsNotBlocked() {
        var governor = HostGovernor(maxLimit: 8)
        for number in 0..<20 {
            let now = begin + .milliseconds(10 * number)
            governor.recordUnavailable(at: now, of: number.isMultiple(of: 2) ? first : second, open: 1)
            if number.isMultiple(of: 4) { governor.recordSuccess(at: now, of: first) }
        }

        #expect(governor.snapshot(at: begin + .seconds(1), open: 0).state == .available)
    }

    @Test func theLimitRisesWithTimeWhereAnswersAreLong() {
        var governor = lowered()

        let before = governor.mayOpen(at: begin + .milliseconds(29_999), open: 4, for: first)
        let after = governor.mayOpen(at: begin + .seconds(30), open: 4, for: first)

        #expect(before == .wait(until: nil, reason: .connectionLimit) && after == .open && governor.limit == 8)
    }

    @Test func theLimitStaysWhileSomethingElseLimits() {
        var governor = HostGovernor(maxLimit: 8)
        governor.recordRefusal(at: begin, of: first, open: .max)
        for second in 0..<1000 {
            _ = governor.mayOpen(at: begin + .seconds(second), open: 2, for: first)
            governor.recordSuccess(at: begin + .seconds(second))
        }

        #expect(governor.limit == 4)
    }

    @Test func theLimitNeverRisesAboveTheMaximum() {
        var governor = lowered()
        for second in 0..<1000 {
            _ = governor.mayOpen(at: begin + .seconds(second), open: 8, for: first)
            for _ in 0..<16 { governor.recordSuccess(at: begin + .seconds(second)) }
        }

        #expect(governor.limit == 8)
        #expect(governor.isPristine(at: begin + .seconds(1000)))
    }

    @Test func aRefusalInBetweenBeginsTheCountAnew() {
        var governor = lowered()
        for _ in 0..<15 { governor.recordSuccess(at: begin + .milliseconds(500)) }
        governor.recordRefusal(at: begin + .milliseconds(900), of: first, open: .max)

        governor.recordSuccess(at: begin + .seconds(5))

        #expect(governor.limit == 4)
    }

    /// An origin that bears three connections is found out, and then seldom annoyed.
    @Test func theLimitSettlesAroundWhatTheHostAccepts() {
        var governor = HostGovernor(maxLimit: 16)
        var (refusals, opened) = (0, 0)
        for second in 0..<600 {
            let now = begin + .seconds(second)
            // Every connection lasts a second.
            var open = 0
            while governor.mayOpen(at: now, open: open, for: first) == .open, open < 16 {
                open += 1
                opened += 1
                if open > 3 {
                    refusals += 1
                    governor.recordRefusal(at: now, of: first, open: open)
                } else {
                    governor.recordSuccess(at: now)
                }
            }
        }

        #expect(opened - refusals > 600 * 3 / 2)
        #expect(refusals * 10 < opened)
    }

    @Test(
        arguments: [
            (.seconds(120), .seconds(120)), (.zero, .seconds(1)), (.seconds(-9), .seconds(1)),
            (.seconds(86_400), .seconds(3600)),
        ] as [(Duration, Duration)]
    )
    func retryAfterHoldsForEveryDownload(retryAfter: Duration, throttle: Duration) {
        var governor = HostGovernor(maxLimit: 8)
        governor.recordRefusal(at: begin, of: first, open: .max, retryAfter: retryAfter)
        let end = begin + throttle

        let early = governor.mayOpen(at: end - .milliseconds(1), open: 0, for: second)
        let throttled = governor.snapshot(at: end - .milliseconds(1), open: 2)
        let late = governor.mayOpen(at: end, open: 0, for: second)

        #expect(early == .wait(until: end, reason: .retryAfter) && late == .open)
        #expect(throttled.state == .throttled && throttled.heldUntil == end && throttled.reason == .retryAfter)
        #expect(throttled.openConnections == 2 && throttled.connectionLimit == 4 && throttled.maxConnectionLimit == 8)
    }

    @Test func aShorterRetryAfterDoesNotEndALongerOne() {
        var governor = HostGovernor(maxLimit: 8)
        governor.recordRefusal(at: begin, of: first, open: .max, retryAfter: .seconds(60))
        governor.recordRefusal(at: begin, of: second, open: .max, retryAfter: .seconds(5))

        let admission = governor.mayOpen(at: begin + .seconds(10), open: 0, for: first)

        #expect(admission == .wait(until: begin + .seconds(60), reason: .retryAfter))
    }

    @Test func aClockSetBackProlongsNoDelay() {
        var governor = HostGovernor(maxLimit: 8)
        governor.recordRefusal(at: begin, of: first, open: .max, retryAfter: .seconds(600))
        let past = begin - .seconds(86_400)

        let admission = governor.mayOpen(at: past, open: 0, for: first)
        let later = governor.mayOpen(at: past + .seconds(3600), open: 0, for: first)

        #expect(admission == .wait(until: past + .seconds(3600), reason: .retryAfter) && later == .open)
        _ = governor.mayOpen(at: past + .seconds(3600), open: 4, for: first)
        let risen = governor.mayOpen(at: past + .seconds(3640), open: 4, for: first)
        #expect(risen == .open)
    }
}
