import Core
import Testing

@Suite struct FileRetentionTests {
    private static let end = Timestamp(milliseconds: 1000)
    private static let instant = Timestamp(milliseconds: 77_000)

    @Test(
        arguments: [
            (.until(instant), instant), (.after(WholeSeconds(2)), Timestamp(milliseconds: 3000)),
            (.after(WholeSeconds(0)), end), (.forever, nil),
        ] as [(FileRetention, Timestamp?)]
    )
    func aChoiceHasAnInstant(_ retention: FileRetention, _ expiry: Timestamp?) {
        #expect(retention.expiry(finishedAt: Self.end) == expiry)
    }

    private static let until = FileRetention.until(instant)
    private static let after = FileRetention.after(WholeSeconds(5))

    @Test(
        arguments: [
            (nil, nil, nil, nil), (until, nil, nil, until), (until, .clear, nil, nil), (until, nil, .clear, until),
            (after, .clear, nil, after), (after, nil, .clear, nil), (.forever, nil, .clear, nil),
            (until, nil, .set(after), after), (after, .set(until), nil, until), (until, .clear, .set(after), after),
            (nil, .clear, .clear, nil), (after, .set(until), .clear, until),
        ]
            as [(
                FileRetention?, DownloadEdit.Change<FileRetention>?, DownloadEdit.Change<FileRetention>?,
                FileRetention?
            )]
    )
    func eachRetentionMemberReplacesTheOtherAndClearsOnlyItself(
        _ old: FileRetention?,
        _ instant: DownloadEdit.Change<FileRetention>?,
        _ period: DownloadEdit.Change<FileRetention>?,
        _ new: FileRetention?
    ) {
        var changes = RetentionChanges()
        (changes.instant, changes.period) = (instant, period)

        #expect(changes.applied(to: old) == new)
    }

    @Test func aPeriodHasALatestEndAndZeroAndForEverHaveNone() {
        let now = Timestamp(milliseconds: 10_000)

        #expect(AgeClock.latestEnd(of: .seconds(3), at: now) == Timestamp(milliseconds: 7000))
        #expect(AgeClock.latestEnd(of: .zero, at: now) == Timestamp(milliseconds: .max))
        #expect(AgeClock.latestEnd(of: nil, at: now) == nil)
    }

    @Test(arguments: [(60_000, 0), (60_900, 0), (61_100, 61_100), (58_000, 58_000), (-1, -1)] as [(Int64, Int64)])
    func aClockIsSteadySinceItWasSet(_ now: Int64, _ since: Int64) {
        var steadiness = ClockSteadiness(now: Timestamp(milliseconds: 0), elapsed: .seconds(7))
        steadiness.check(now: Timestamp(milliseconds: now), elapsed: .seconds(67))

        #expect(steadiness.since == Timestamp(milliseconds: since))
    }
}
