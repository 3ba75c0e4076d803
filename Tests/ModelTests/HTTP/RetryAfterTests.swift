import Core
import HTTPFields
import Testing

@Suite struct RetryAfterTests {
    /// Two hours behind the origin's clock.
    private let now = HTTPDate(secondsSinceEpoch: 784_111_777 - 7200)
    private let originNow = HTTPDate(secondsSinceEpoch: 784_111_777)

    @Test(
        arguments: [
            ("120", 120), ("0", 1), (" 5 ", 5), ("31536000", 31_536_000), ("99999999999999999999", 366 * 86_400),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 1),
            ("Sunday, 06-Nov-94 08:49:47 GMT", 10),
        ] as [(String, Int64)]
    )
    func aDelayOrADateIsRead(_ text: String, seconds: Int64) {
        #expect(RetryAfter(text, responseDate: originNow, now: now)?.delay == .seconds(seconds))
    }

    @Test func withoutTheOriginsClockOursDecides() {
        let text = "Sun, 06 Nov 1994 08:50:37 GMT"

        #expect(RetryAfter(text, responseDate: nil, now: now)?.delay == .seconds(7260))
    }

    @Test(arguments: ["", "-1", "1.5", "soon", "5 minutes", "1e3", "0x10", "Sun, 31 Feb 1994 08:50:37 GMT"])
    func garbageIsIgnored(_ text: String) {
        #expect(RetryAfter(text, responseDate: originNow, now: now) == nil)
    }
}
