import Core
import Testing
import TransferRules

@Suite struct ConnectionPaceTests {
    @Test(
        arguments: [
            (.seconds(2), 1000, 2000), (.seconds(-2), 1000, -2000), (.seconds(2), nil, 0), (.seconds(2), .nan, 0),
            (.seconds(-2), .infinity, -1 << 62),
        ] as [(Duration, Double?, Int64)]
    )
    func bytesFollowFromTimeAndRate(time: Duration, rate: Double?, bytes: Int64) {
        #expect(ConnectionPace.bytes(in: time, at: rate) == bytes)
    }

    @Test(
        arguments: [
            // Silent while others progress.
            (rate: 0, median: 1000, silence: .seconds(2), roundTrip: .milliseconds(20), isSlow: true),
            (rate: nil, median: 1000, silence: .milliseconds(1999), roundTrip: .milliseconds(20), isSlow: false),
            (rate: nil, median: 1000, silence: .seconds(3), roundTrip: .milliseconds(500), isSlow: false),
            (rate: nil, median: 1000, silence: .seconds(4), roundTrip: .milliseconds(500), isSlow: true),
            // Below a tenth of the others.
            (rate: 99, median: 1000, silence: .zero, roundTrip: .milliseconds(20), isSlow: true),
            (rate: 100, median: 1000, silence: .zero, roundTrip: .milliseconds(20), isSlow: false),
            // All stand still, or there is no other.
            (rate: 0, median: 0, silence: .seconds(60), roundTrip: .milliseconds(20), isSlow: false),
            (rate: 0, median: nil, silence: .seconds(60), roundTrip: .milliseconds(20), isSlow: false),
        ] as [(rate: Double?, median: Double?, silence: Duration, roundTrip: Duration, isSlow: Bool)]
    )
    func aConnectionIsSlowBesideOthersAlone(
        rate: Double?,
        median: Double?,
        silence: Duration,
        roundTrip: Duration,
        isSlow: Bool
    ) {
        #expect(
            ConnectionPace.isSlow(rate: rate, fellowsMedian: median, silence: silence, roundTrip: roundTrip) == isSlow
        )
    }

    @Test(
        arguments: [([], nil), ([3], 3), ([3, 1], 2), ([9, 1, 2], 2), ([4, 1, 3, 100], 3.5)] as [([Double], Double?)]
    )
    func theMedianIsTheMiddle(rates: [Double], median: Double?) {
        #expect(ConnectionPace.median(rates) == median)
    }
}
