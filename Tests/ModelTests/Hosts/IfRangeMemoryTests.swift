import Core
import Testing
import TransferRules

@Suite struct IfRangeMemoryTests {
    private static let now = Timestamp(milliseconds: 1_000_000)

    @Test func tagsAreUsedUntilTheyAreIgnored() {
        var memory = IfRangeMemory()

        #expect(memory.form(at: Self.now) == .tag)
        #expect(memory.hasOther(than: .tag, at: Self.now))
        #expect(memory.isPristine(at: Self.now))
        memory.noteIgnored(.tag, at: Self.now)
        #expect(memory.form(at: Self.now) == .date)
        #expect(!memory.hasOther(than: .date, at: Self.now))
        #expect(!memory.isPristine(at: Self.now))
    }

    @Test func whereBothAreIgnoredNoOtherIsTried() {
        var memory = IfRangeMemory()
        memory.noteIgnored(.tag, at: Self.now)
        memory.noteIgnored(.date, at: Self.now)

        #expect(memory.form(at: Self.now) == .tag)
        #expect(!memory.hasOther(than: .tag, at: Self.now))
        memory.noteIgnored(.tag, at: Self.now)
        #expect(!memory.hasOther(than: .tag, at: Self.now))
    }

    @Test func aFormThatWasHonouredAndIsIgnoredIsFollowedByTheOther() {
        var memory = IfRangeMemory()
        memory.noteIgnored(.tag, at: Self.now)
        memory.noteHonoured(.date, at: Self.now)
        #expect(memory.form(at: Self.now) == .date)
        #expect(memory.hasOther(than: .date, at: Self.now))

        memory.noteIgnored(.date, at: Self.now)
        #expect(memory.form(at: Self.now) == .tag)
        memory.noteHonoured(.tag, at: Self.now)
        #expect(memory.isPristine(at: Self.now))
    }

    /// Of several connections that asked together, one is told first.
    @Test func anAnswerToAnOlderRequestChangesNothing() {
        var memory = IfRangeMemory()
        memory.noteIgnored(.tag, at: Self.now)
        memory.noteIgnored(.tag, at: Self.now)

        #expect(memory.form(at: Self.now) == .date)
    }

    @Test(arguments: [Duration.seconds(3600), .seconds(-1)])
    func whatWasLearnedIsForgotten(after time: Duration) {
        var memory = IfRangeMemory()
        memory.noteIgnored(.tag, at: Self.now)
        memory.noteIgnored(.date, at: Self.now)

        #expect(memory.isPristine(at: Self.now + time))
        #expect(memory.hasOther(than: .tag, at: Self.now + time))
    }
}
