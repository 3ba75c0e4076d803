import Linux
import Testing

struct LocalTimeTests {
    @Test func anOffsetIsOneThatTheWorldHas() {
        for instant in [-1_000_000_000_000, 0, 1_767_225_600_000] as [Int64] {
            #expect((-14 * 60...14 * 60).contains(LocalTime.utcOffsetMinutes(atMilliseconds: instant)))
        }
    }
}
