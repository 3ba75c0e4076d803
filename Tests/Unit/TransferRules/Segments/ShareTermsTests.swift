import Core
import Testing
import TransferRules

/// At 20 MB/s and 50 ms a connection brings 1 MB in a round trip, and is as fast six round trips after its first byte.
@Suite struct ShareTermsTests {
    private static let rate = 20_000_000.0
    private static let roundTrip = Duration.milliseconds(50)
    private static let now = Duration.seconds(10)

    private func terms(
        rate: Double? = Self.rate,
        isOpen: Bool = true,
        roundTrip: Duration = Self.roundTrip
    ) -> ShareTerms {
        ShareTerms(rate: rate, roundTrip: roundTrip, isOpen: isOpen, minimum: 4 << 20)
    }

    /// A response that began so many milliseconds ago, or begins later, over a new connection.
    private func fresh(_ milliseconds: Int) -> ResponseStart {
        ResponseStart(firstByteAt: Self.now - .milliseconds(milliseconds), isFresh: true)
    }

    @Test(
        arguments: [
            (rate: nil, leastShare: 4 << 20), (rate: 0, leastShare: 4 << 20), (rate: .nan, leastShare: 4 << 20),
            (rate: .infinity, leastShare: 4 << 20), (rate: 1, leastShare: 64 << 10),
            // 64 KiB in a round trip.
            (rate: 1_310_720, leastShare: 64 << 10), (rate: 1_400_000, leastShare: 8 << 10),
        ] as [(rate: Double?, leastShare: Int64)]
    )
    func partsAreLargeWhileTheRateIsUnknownAndSmallOverAFastLongLine(rate: Double?, leastShare: Int64) {
        #expect(terms(rate: rate).leastShare == leastShare)
    }

    @Test func aShareIsHalvedWhileTheRateIsUnknown() {
        let division = terms(rate: nil).division(of: 10 << 20, from: nil, at: Self.now)

        #expect(division == ShareDivision(retained: 5 << 20, urgency: Double(10 << 20)))
    }

    @Test(
        arguments: [
            // The answer takes a round trip, in which the other one brings a million bytes.
            (isOpen: true, remaining: 11_000_000, retained: 6_000_000),
            // The handshake, the answer and the slow start cost as much as seven round trips, of which the slow start
            // brings nearly one.
            (isOpen: false, remaining: 27_000_000, retained: 17_000_000),
        ] as [(isOpen: Bool, remaining: Int64, retained: Int64)]
    )
    func bothEndAtOneTimeThoughOneBeginsLater(isOpen: Bool, remaining: Int64, retained: Int64) throws {
        let division = try #require(terms(isOpen: isOpen).division(of: remaining, from: nil, at: Self.now))

        #expect(abs(division.retained - retained) < 500_000)
        #expect(abs(division.urgency - Double(remaining) / Self.rate) < 0.001)
    }

    @Test(
        arguments: [
            // It would end after 85 ms; divided, both after 67 ms.
            (isOpen: true, remaining: 1_700_000, fresh: nil, isWorthIt: false),
            (isOpen: true, remaining: 2_500_000, fresh: nil, isWorthIt: true),
            // A new connection needs 100 ms to begin, and is slow then.
            (isOpen: false, remaining: 2_500_000, fresh: nil, isWorthIt: false),
            // What an open connection brings in 90 ms takes one that has just begun 300 ms, and one that is being
            // opened 400 ms.
            (isOpen: true, remaining: 800_000, fresh: 0, isWorthIt: true),
            (isOpen: true, remaining: 800_000, fresh: -100, isWorthIt: true),
            (isOpen: true, remaining: 800_000, fresh: 300, isWorthIt: false),
            // Another new connection is no better.
            (isOpen: false, remaining: 800_000, fresh: 0, isWorthIt: false),
            // Too little for two parts.
            (isOpen: true, remaining: 16_383, fresh: -1000, isWorthIt: false),
            (isOpen: true, remaining: 16_384, fresh: -1000, isWorthIt: false),
            // The new connection keeps what its first packets bring.
            (isOpen: true, remaining: 60_000, fresh: -100, isWorthIt: true),
        ] as [(isOpen: Bool, remaining: Int64, fresh: Int?, isWorthIt: Bool)]
    )
    func aRequestMustSaveMoreThanHalfARoundTrip(
        isOpen: Bool,
        remaining: Int64,
        fresh milliseconds: Int?,
        isWorthIt: Bool
    ) {
        let start = milliseconds.map { fresh($0) }

        let division = terms(isOpen: isOpen).division(of: remaining, from: start, at: Self.now)

        #expect((division != nil) == isWorthIt)
    }

    /// A connection that begins slowly keeps less than half of what is left, and would end last.
    @Test func aSlowConnectionKeepsASmallerShare() throws {
        let quick = try #require(terms().division(of: 4_000_000, from: nil, at: Self.now))
        let slow = try #require(terms().division(of: 4_000_000, from: fresh(-100), at: Self.now))

        #expect(quick.retained > 2_000_000 && slow.retained < 1_000_000 && slow.urgency > quick.urgency + 0.3)
    }

    @Test(
        arguments: [(.zero, 1_000_000), (.milliseconds(-5), 1_000_000), (.seconds(600), 100 << 30)]
            as [(Duration, Int64)]
    )
    func anyRoundTripIsAnswered(roundTrip: Duration, remaining: Int64) {
        let terms = terms(isOpen: false, roundTrip: roundTrip)

        let division = terms.division(of: remaining, from: fresh(100_000), at: Self.now)

        #expect(division.map { (1..<remaining).contains($0.retained) } ?? true)
    }
}
