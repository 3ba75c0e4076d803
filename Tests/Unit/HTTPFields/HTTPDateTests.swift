import Core
import HTTPFields
import TestSupport
import Testing

@Suite struct HTTPDateTests {
    /// 2026-11-21T00:00:00Z
    private let now = HTTPDate(secondsSinceEpoch: 1_795_219_200)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func eachFormOfTheStandardIsRead(_ text: String) {
        #expect(HTTPDate(text, now: now)?.secondsSinceEpoch == 784_111_777)
    }

    @Test(
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Fri Jan 10 00:00:00 2020", 1_578_614_400),
            // A leap second is the first of the next minute; a wrong day name does no harm.
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ] as [(String, Int64)]
    )
    func anInstantIsRead(_ text: String, seconds: Int64) {
        #expect(HTTPDate(text, now: now)?.secondsSinceEpoch == seconds)
    }

    @Test(arguments: [
        "", "0", "Sun, 29 Feb 2023 00:00:00 GMT", "Sun, 29 Feb 1900 00:00:00 GMT", "Sun, 31 Apr 2024 00:00:00 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 08:49:37 GMT x", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "1994-11-06T08:49:37Z", "Sun Nov 6 08:49:37 1994", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun,",
        "Sun, 06 Nov 99999 08:49:37 GMT",
    ])
    func anythingElseIsNone(_ text: String) {
        #expect(HTTPDate(text, now: now) == nil)
    }

    // RFC 9110, 5.6.7: a year that seems more than 50 years ahead lies in the past.
    @Test(
        arguments: [
            ("Friday, 20-Nov-76 00:00:00 GMT", 3_373_056_000), ("Sunday, 22-Nov-76 00:00:00 GMT", 217_468_800),
            ("Tuesday, 29-Feb-00 00:00:00 GMT", 951_782_400), ("Friday, 31-Dec-99 00:00:00 GMT", 946_598_400),
        ] as [(String, Int64)]
    )
    func aYearOfTwoDigitsIsTheNearestThatIsNotFarAhead(_ text: String, seconds: Int64) {
        #expect(HTTPDate(text, now: now)?.secondsSinceEpoch == seconds)
    }

    @Test func formattingIsUndoneByParsing() {
        var generator = SplitMix64(seed: 1)
        for _ in 0..<20_000 {
            let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &generator)
            let date = HTTPDate(secondsSinceEpoch: seconds)

            #expect(HTTPDate(date.fieldValue, now: now) == date)
        }
        #expect(HTTPDate(secondsSinceEpoch: 784_111_777).fieldValue == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func instantsThatTheFormCannotWriteShowAsItsEnds() {
        #expect(HTTPDate(secondsSinceEpoch: .max).fieldValue == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate(secondsSinceEpoch: .min).fieldValue == "Sat, 01 Jan 0000 00:00:00 GMT")
        #expect(HTTPDate(secondsSinceEpoch: .max).seconds(since: HTTPDate(secondsSinceEpoch: .min)) == .max)
    }
}

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
