@testable import cormorant
import Testing

@Suite
struct DurationTextTests {
    @Test(arguments: [("0", 0), ("0s", 0), ("30s", 30), ("15m", 900), ("24h", 86_400), ("7d", 604_800), ("90s", 90)])
    func aDurationIsRead(_ text: String, _ seconds: Int) {
        #expect(DurationText.parse(text) == .seconds(seconds))
        #expect(DurationText.parse(DurationText.text(.seconds(seconds))) == .seconds(seconds))
    }

    @Test(arguments: ["", "s", "30", "-1s", "1.5h", "1h30m", "30 s", "1w", "36526d", "99999999999999999999s"])
    func anythingElseIsRefused(_ text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(arguments: [
        (0, "0:00"), (7, "0:07"), (725, "12:05"), (10_800, "3:00:00"), (359_999, "99:59:59"), (360_000, "4 d"),
        (-5, "0:00"),
    ])
    func aClockIsShown(_ seconds: Int, _ text: String) {
        #expect(DurationText.clock(.seconds(seconds)) == text)
    }
}
