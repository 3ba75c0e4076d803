import Core
import Testing
import TransferRules

struct HTTPVersionMemoryTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    private static func at(_ seconds: Int) -> Timestamp { start + .seconds(seconds) }

    /// Of a host of small files, with which HTTP/2 was tried and works.
    private static var sharing: HTTPVersionMemory {
        var memory = small
        _ = memory.mayShare(at: start)
        memory.recordResponse(isHTTP2: true, at: start)
        return memory
    }

    private static func decisions(_ memory: inout HTTPVersionMemory, _ seconds: [Int]) -> [Bool] {
        var decisions: [Bool] = []
        for second in seconds { decisions.append(memory.mayShare(at: at(second))) }
        return decisions
    }

    private static var small: HTTPVersionMemory {
        var memory = HTTPVersionMemory()
        for _ in 0..<HTTPVersionMemory.smallFilesToShare { memory.recordFile(of: 1000) }
        return memory
    }

    @Test(
        arguments: [
            ([], false), ([0, 1, 1 << 20, 1000], true), ([0, 1, 2], false), ([0, 1, 2, (1 << 20) + 1], false),
            ([0, 1, 2, nil], false), ([nil, 0, 1, 2, 3], true), ([0, 1, 2, 3, 1 << 30], false),
        ] as [([Int64?], Bool)]
    )
    func aHostOfSmallFilesMayBeAskedInHTTP2(_ lengths: [Int64?], _ mayShare: Bool) {
        var memory = HTTPVersionMemory()
        for length in lengths { memory.recordFile(of: length) }

        #expect(memory.isPristine(at: Self.start) == (lengths.last.map { $0.map { $0 > 1 << 20 } ?? true } ?? true))
        let decision = memory.mayShare(at: Self.start)
        #expect(decision == mayShare)
    }

    @Test func oneRequestProbesAndTheOthersFollowItsResult() {
        var memory = Self.small

        let before = Self.decisions(&memory, [0, 1])
        memory.recordResponse(isHTTP2: true, at: Self.at(2))
        let after = Self.decisions(&memory, [2, 2])

        #expect(before == [true, false] && after == [true, true])
    }

    @Test func anUnansweredProbeIsRepeatedByAnotherRequest() {
        var memory = Self.small

        let decisions = Self.decisions(&memory, [0, 59, 60, 61])

        #expect(decisions == [true, false, true, false])
    }

    @Test func aHostThatSpeaksHTTP1AloneIsNotAskedOtherwiseForAnHour() {
        var memory = Self.small
        _ = memory.mayShare(at: Self.at(0))
        memory.recordResponse(isHTTP2: false, at: Self.at(0))

        let decisions = Self.decisions(&memory, [3599, 3600])
        #expect(decisions == [false, true])
    }

    @Test(
        arguments: [
            ([], true), ([0, 10], true), ([0, 10, 20], false), ([0, 0, 0, 0], true), ([0, 10, 10, 20, 20], false),
            ([0, 300, 601], true), ([0, 300, 600], false), ([0, 5, 700, 705], true),
        ] as [([Int], Bool)]
    )
    func threeFailuresWithinTenMinutesAreTooMany(_ failures: [Int], _ mayShare: Bool) {
        var memory = Self.sharing
        for second in failures { memory.recordFailure(at: Self.at(second)) }

        let decisions = Self.decisions(&memory, [failures.last ?? 0])
        #expect(decisions == [mayShare])
    }

    @Test func aFailedProbeIsRepeatedWithOneRequest() {
        var memory = Self.sharing
        memory.recordFailure(at: Self.at(0))

        let decisions = Self.decisions(&memory, [1, 1])
        #expect(decisions == [true, false])
    }

    @Test func aFailedProbeIsRepeatedAfterAnHour() {
        var memory = Self.sharing
        for second in [0, 10, 20] { memory.recordFailure(at: Self.at(second)) }

        let decisions = Self.decisions(&memory, [3619, 3620])
        #expect(decisions == [false, true])
    }

    @Test func aHostThatSpeaksHTTP2AloneIsRememberedForAnHour() {
        var memory = HTTPVersionMemory()
        memory.recordHTTP1Refusal(at: Self.at(0))

        #expect(memory.needsHTTP2(at: Self.at(3599)) && !memory.needsHTTP2(at: Self.at(3600)))
        #expect(!memory.isPristine(at: Self.at(3599)) && memory.isPristine(at: Self.at(3600)))
    }

    @Test func http2IsOfferedOnceInTenMinutesToAHostThatDoesNotAnswer() {
        var memory = HTTPVersionMemory()

        let offers = [0, 1, 599, 600].map { memory.mayOffer(at: Self.at($0)) }

        #expect(offers == [true, false, false, true])
        #expect(!memory.isPristine(at: Self.at(1199)) && memory.isPristine(at: Self.at(1200)))
    }

    @Test(arguments: [(10, true), (3600, false)])
    func twoAcceptedOffersWithinAnHourAreARefusalOfHTTP1(_ second: Int, _ isRefusal: Bool) {
        var memory = HTTPVersionMemory()
        memory.recordAcceptedOffer(at: Self.at(0))
        let mayOfferAgain = memory.mayOffer(at: Self.at(second))
        #expect(!memory.needsHTTP2(at: Self.at(0)) && mayOfferAgain)

        memory.recordAcceptedOffer(at: Self.at(second))

        #expect(memory.needsHTTP2(at: Self.at(second)) == isRefusal)
    }

    @Test func aClockThatWasSetBackForgets() {
        var memory = Self.sharing
        for second in [0, 10, 20] { memory.recordFailure(at: Self.at(second)) }

        let decisions = Self.decisions(&memory, [-3600])
        #expect(decisions == [true])
    }

    @Test func http3IsTriedAgainAnHourAfterItFailed() {
        var memory = HTTPVersionMemory()
        #expect(memory.mayUseHTTP3(at: Self.at(0)))

        memory.recordHTTP3Failure(at: Self.at(0))

        #expect(!memory.mayUseHTTP3(at: Self.at(0)))
        #expect(!memory.isPristine(at: Self.at(0)))
        #expect(memory.mayUseHTTP3(at: Self.at(3600)))
        #expect(memory.isPristine(at: Self.at(3600)))
    }
}

@Suite struct IfRangeMemoryTests {
    private static let now = Timestamp(milliseconds: 1_000_000)

    @Test func tagsAreUsedUntilTheyAreIgnored() {
        var memory = IfRangeMemory()

        #expect(memory.form(at: Self.now) == .tag)
        #expect(memory.hasOther(than: .tag, at: Self.now))
        #expect(memory.isPristine(at: Self.now))
        memory.recordIgnored(.tag, at: Self.now)
        #expect(memory.form(at: Self.now) == .date)
        #expect(!memory.hasOther(than: .date, at: Self.now))
        #expect(!memory.isPristine(at: Self.now))
    }

    @Test func noOtherFormIsTriedIfBothAreIgnored() {
        var memory = IfRangeMemory()
        memory.recordIgnored(.tag, at: Self.now)
        memory.recordIgnored(.date, at: Self.now)

        #expect(memory.form(at: Self.now) == .tag)
        #expect(!memory.hasOther(than: .tag, at: Self.now))
        memory.recordIgnored(.tag, at: Self.now)
        #expect(!memory.hasOther(than: .tag, at: Self.now))
    }

    @Test func aFormThatWasHonouredAndIsIgnoredIsFollowedByTheOther() {
        var memory = IfRangeMemory()
        memory.recordIgnored(.tag, at: Self.now)
        memory.recordHonoured(.date, at: Self.now)
        #expect(memory.form(at: Self.now) == .date)
        #expect(memory.hasOther(than: .date, at: Self.now))

        memory.recordIgnored(.date, at: Self.now)
        #expect(memory.form(at: Self.now) == .tag)
        memory.recordHonoured(.tag, at: Self.now)
        #expect(memory.isPristine(at: Self.now))
    }

    /// Of several connections that asked together, one is told first.
    @Test func anAnswerToAnOlderRequestChangesNothing() {
        var memory = IfRangeMemory()
        memory.recordIgnored(.tag, at: Self.now)
        memory.recordIgnored(.tag, at: Self.now)

        #expect(memory.form(at: Self.now) == .date)
    }

    @Test(arguments: [Duration.seconds(3600), .seconds(-1)])
    func learnedFormsAreForgotten(after time: Duration) {
        var memory = IfRangeMemory()
        memory.recordIgnored(.tag, at: Self.now)
        memory.recordIgnored(.date, at: Self.now)

        #expect(memory.isPristine(at: Self.now + time))
        #expect(memory.hasOther(than: .tag, at: Self.now + time))
    }
}
