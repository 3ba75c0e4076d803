import Core
import Testing
@testable import Transfer

/// A part that this process wrote a moment ago is believed once.
struct RecentPartsTests {
    private let recent = RecentParts()
    private let now = Timestamp(milliseconds: 1_800_000_000_000)
    private let part: PartName

    init() {
        part = PartName(id: DownloadID(at: now), generation: 1)
    }

    @Test func aPartThatNobodyLetGoOfIsChecked() {
        #expect(!recent.take(part, now: now))
    }

    @Test func theNextAttemptBelievesIt() {
        recent.note(part, now: now)

        #expect(recent.take(part, now: now + .seconds(59)))
        #expect(!recent.take(part, now: now + .seconds(59)))
    }

    @Test(arguments: [60, 10_000, -1])
    func afterAMinuteAndWhereTheClockWasSetBackItIsChecked(_ seconds: Int64) {
        recent.note(part, now: now)

        #expect(!recent.take(part, now: now + .seconds(seconds)))
    }

    @Test func anotherGenerationIsAnotherPart() {
        recent.note(part, now: now)

        #expect(!recent.take(PartName(id: part.id, generation: 2), now: now))
    }

    @Test func itsMemoryIsBounded() {
        for generation in 0..<5000 { recent.note(PartName(id: part.id, generation: generation), now: now) }

        #expect(recent.take(PartName(id: part.id, generation: 4999), now: now))
        #expect(!recent.take(PartName(id: part.id, generation: 0), now: now))
    }
}
