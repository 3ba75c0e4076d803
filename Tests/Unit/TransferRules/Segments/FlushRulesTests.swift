import Core
import Testing
import TransferRules

struct FlushRulesTests {
    private static let window: Int64 = 16 << 20

    @Test(
        arguments: [
            (nil, 32 << 20), (.nan, 32 << 20), (-1, 32 << 20), (0, 32 << 20), (20_000_000, 32 << 20),
            // What comes in a second.
            (100_000_000, 100_000_000),
            // But no more than the kernel takes without delay.
            (1e9, 256 << 20), (.infinity, 256 << 20),
        ] as [(Double?, Int64)]
    )
    func asMuchMayBeUnrecordedAsComesInASecond(rate: Double?, limit: Int64) {
        #expect(FlushRules.limit(window: Self.window, rate: rate) == limit)
    }

    @Test(
        arguments: [
            (at: .zero, turn: 0, delay: .milliseconds(100)),
            (at: .milliseconds(99), turn: 0, delay: .milliseconds(1)),
            (at: .milliseconds(100), turn: 1, delay: .milliseconds(100)),
            (at: .milliseconds(1234), turn: 12, delay: .milliseconds(66)),
            // After thirty years, and a little before that.
            (at: .seconds(946_080_000), turn: 9_460_800_000, delay: .milliseconds(100)),
            (at: Duration.seconds(946_080_000) - .nanoseconds(1), turn: 9_460_799_999, delay: .nanoseconds(1)),
        ] as [(at: Duration, turn: Int, delay: Duration)]
    )
    func eachGroupHasATurnInEachInterval(at instant: Duration, turn: Int, delay: Duration) {
        #expect(FlushRules.turn(at: instant, interval: .seconds(1)) == turn)
        #expect(FlushRules.delay(at: instant, interval: .seconds(1)) == delay)
    }
}
