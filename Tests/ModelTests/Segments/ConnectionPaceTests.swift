import Model
import Testing

@Suite struct ConnectionPaceTests {
    @Test(
        arguments: [
            (nil, .milliseconds(50), 4 << 20),
            (0, .milliseconds(50), 4 << 20),
            (.nan, .milliseconds(50), 4 << 20),
            // (4 * 50 ms + 20 ms) at 10 MB/s, halved.
            (10_000_000, .milliseconds(50), 1_100_000),
            (10_000_000, .zero, 100_000),
            (100_000, .milliseconds(50), 64 << 10),
            (1e9, .milliseconds(1), 12_000_000),
            (.infinity, .milliseconds(1), .max),
        ] as [(Double?, Duration, Int64)]
    )
    func aShareIsWorthAtLeastWhatAskingAnewCosts(rate: Double?, latency: Duration, share: Int64) {
        #expect(ConnectionPace.leastShare(rate: rate, latency: latency) == share)
    }

    @Test(
        arguments: [
            // Silent while others progress.
            (rate: 0, median: 1000, silence: .seconds(2), latency: .milliseconds(20), isSlow: true),
            (rate: nil, median: 1000, silence: .milliseconds(1999), latency: .milliseconds(20), isSlow: false),
            (rate: nil, median: 1000, silence: .seconds(3), latency: .milliseconds(500), isSlow: false),
            (rate: nil, median: 1000, silence: .seconds(4), latency: .milliseconds(500), isSlow: true),
            // Below a tenth of the others.
            (rate: 99, median: 1000, silence: .zero, latency: .milliseconds(20), isSlow: true),
            (rate: 100, median: 1000, silence: .zero, latency: .milliseconds(20), isSlow: false),
            // All stand still, or there is no other.
            (rate: 0, median: 0, silence: .seconds(60), latency: .milliseconds(20), isSlow: false),
            (rate: 0, median: nil, silence: .seconds(60), latency: .milliseconds(20), isSlow: false),
        ] as [(rate: Double?, median: Double?, silence: Duration, latency: Duration, isSlow: Bool)]
    )
    func aConnectionIsSlowBesideOthersAlone(
        rate: Double?,
        median: Double?,
        silence: Duration,
        latency: Duration,
        isSlow: Bool
    ) {
        #expect(
            ConnectionPace.isSlow(rate: rate, fellowsMedian: median, silence: silence, latency: latency) == isSlow
        )
    }

    @Test(
        arguments: [([], nil), ([3], 3), ([3, 1], 2), ([9, 1, 2], 2), ([4, 1, 3, 100], 3.5)] as [([Double], Double?)]
    )
    func theMedianIsTheMiddle(rates: [Double], median: Double?) {
        #expect(ConnectionPace.median(rates) == median)
    }
}
