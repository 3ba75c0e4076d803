import Core
import Testing

@Suite struct ConsentQuestionTests {
    @Test(arguments: [
        ("events.example", true), ("Events.Example", true), ("*", true), (nil, false), ("", false),
        ("other.example", false), ("events.example, *", false), ("*.example", false),
    ])
    func anEndpointAgreesByTheNameOrToAll(_ allowed: String?, _ isAgreed: Bool) {
        #expect(ConsentQuestion(origin: "events.example", ratePerSecond: nil).isAgreed(by: allowed) == isAgreed)
    }

    @Test func aRateIsAskedForByTheMinute() {
        let fields = ConsentQuestion(origin: "events.example", ratePerSecond: 2).fields

        #expect(fields.map(\.name) == ["WebHook-Request-Origin", "WebHook-Request-Rate"])
        #expect(fields.map(\.value) == ["events.example", "120"])
        #expect(ConsentQuestion(origin: "events.example", ratePerSecond: nil).fields.count == 1)
    }
}
