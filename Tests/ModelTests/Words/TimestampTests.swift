import Core
import Testing

@Suite struct TimestampTests {
    private static let first = Timestamp(milliseconds: .min)
    private static let last = Timestamp(milliseconds: .max)

    @Test func timesAndDurationsAddUp() {
        let time = Timestamp(milliseconds: 1500)

        #expect(time + .seconds(2) == Timestamp(milliseconds: 3500))
        #expect(time - .seconds(2) == Timestamp(milliseconds: -500))
        #expect(Timestamp(milliseconds: 3500) - time == .seconds(2))
        #expect(time - Timestamp(milliseconds: 3500) == .seconds(-2))
        #expect(time.seconds == 1)
    }

    @Test func sumsSaturateAtTheEndsOfTheRange() {
        #expect(Self.last + .milliseconds(1) == Self.last)
        #expect(Self.first - .milliseconds(1) == Self.first)
        #expect(Self.last - Self.first == .milliseconds(Int64.max))
        #expect(Self.first - Self.last == .milliseconds(Int64.min))
    }

    @Test(
        arguments: [
            (.nanoseconds(999_999), 0), (.microseconds(1_999), 1), (.nanoseconds(-1_999_999), -1),
            (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
            (.milliseconds(Int64.max), .max), (.milliseconds(Int64.max) + .milliseconds(1), .max),
            (.milliseconds(Int64.min) - .milliseconds(1), .min),
        ] as [(Duration, Int64)]
    )
    func aDurationIsCutToMillisecondsAndSaturates(_ duration: Duration, milliseconds: Int64) {
        #expect(duration.wholeMilliseconds == milliseconds)
    }
}
