import Core
import Testing
import TransferRules

struct HostWidthTests {
    private static let begin = Timestamp(milliseconds: 1_000_000)
    private var width = HostWidth()

    @Test func nothingIsKnownAtFirst() {
        #expect(width.most(at: Self.begin) == nil)
    }

    @Test mutating func asManyAreBorneAsWereAtWorkWhenOneMoreWasRefused() {
        width.noteRefusal(beside: 3, at: Self.begin)

        #expect(width.most(at: Self.begin) == 3)
    }

    @Test mutating func fewerAreBorneAfterAnotherRefusalAndNeverMore() {
        for working in [3, 1, 5] { width.noteRefusal(beside: working, at: Self.begin) }

        #expect(width.most(at: Self.begin) == 1)
    }

    @Test mutating func theRefusalOfTheOnlyConnectionSaysNothingOfTheirNumber() {
        width.noteRefusal(beside: 0, at: Self.begin)

        #expect(width.most(at: Self.begin) == nil)
    }

    @Test mutating func theRefusalOfALinkIsNoneOfTheNumber() {
        width.noteRefusal(beside: 2, at: Self.begin)

        width.noteRefusalOfLink()

        #expect(width.most(at: Self.begin) == nil)
    }

    @Test(arguments: [(599, 2), (600, nil), (-1, nil)] as [(Int, Int?)])
    mutating func itIsForgottenAfterTenMinutesAndWhenTheClockIsSetBack(second: Int, most: Int?) {
        width.noteRefusal(beside: 2, at: Self.begin)

        #expect(width.most(at: Self.begin + .seconds(second)) == most)
    }
}
