import Testing
@testable import Transfer

struct AnswerTimeTests {
    @Test(
        arguments: [
            ([], nil),
            ([(100, false)], 50),
            ([(100, false), (80, false), (120, false)], 40),
            ([(100, false), (45, true), (60, true)], 45),
            // A connection that was thought to be open was not.
            ([(100, false), (90, true)], 50),
            ([(45, true)], 45),
        ] as [([(milliseconds: Int, isOpen: Bool)], Int?)]
    )
    func aNewConnectionTakesARoundTripMore(seen: [(milliseconds: Int, isOpen: Bool)], roundTrip: Int?) {
        var time = AnswerTime()

        for (milliseconds, isOpen) in seen { time.note(AnswerTime(.milliseconds(milliseconds), isOpen: isOpen)) }

        #expect(time.roundTrip == roundTrip.map { .milliseconds($0) })
    }
}
