import Core
import Testing
import TestSupport
@testable import Transfer
import TransferRules

struct CrewTests {
    private let time = ManualTime()

    /// Four connections at work, as many as are wanted.
    private func crew() -> Crew {
        var rules = RampRules()
        (rules.minimumShare, rules.worthwhileTime, rules.shortestStep, rules.leastSample) = (1, .zero, .zero, 0)
        var crew = Crew(rules: rules, time: time.source)
        crew.noteOpened()
        for step in 0..<20 {
            for _ in 0..<crew.missing(reading(of: crew, at: .milliseconds(step))) { crew.noteOpened() }
        }
        return crew
    }

    private func reading(
        of crew: Crew,
        at instant: Duration = .seconds(1),
        received: Int64 = 0,
        connections: Int? = nil
    ) -> RampReading {
        RampReading(
            at: instant,
            receivedBytes: received,
            connections: connections ?? crew.active,
            remainingBytes: 1 << 40,
            roundTrip: .zero,
            ceiling: 4
        )
    }

    private static let broken = TransferFailure(DownloadError(.badResponse, message: ""))

    @Test func aConnectionThatBreaksOffBesideOthersIsReplacedAtOnce() {
        var crew = crew()

        #expect(crew.active == 4 && crew.missing == 0)
        for _ in 1...3 {
            crew.note(.broke(Self.broken, afterBytes: Crew.leastProgress))
            #expect(crew.missing == 1)
            crew.noteOpened()
            time.advance(by: .milliseconds(100))
        }
    }

    @Test func atMostTenASecondAreReplaced() {
        var crew = crew()
        var replaced = 0

        for _ in 0..<1000 {
            if crew.missing > 0 {
                crew.noteOpened()
                replaced += 1
                crew.note(.broke(Self.broken, afterBytes: Crew.leastProgress))
            } else if replaced == 0 {
                crew.note(.broke(Self.broken, afterBytes: Crew.leastProgress))
            }
            time.advance(by: .milliseconds(1))
        }

        #expect((9...11).contains(replaced))
    }

    @Test func aHostThatIsFullDoesNotHideWhatBreaks() {
        var crew = crew()

        for _ in 0..<2 {
            crew.noteHeld()
            crew.note(.broke(Self.broken, afterBytes: 100))
            crew.noteOpened()
            time.advance(by: .milliseconds(250))
        }
        crew.note(.broke(Self.broken, afterBytes: 100))

        time.advance(by: .milliseconds(499))
        #expect(crew.missing == 0)
        time.advance(by: .milliseconds(1))
        #expect(crew.missing == 1)
    }

    @Test func connectionsThatBreakOffAgainAndAgainAreReplacedEverLater() {
        var crew = crew()

        for pause in [.zero, .milliseconds(250), .milliseconds(500), .seconds(1)] as [Duration] {
            crew.note(.broke(Self.broken, afterBytes: 100))
            if pause > .zero {
                time.advance(by: pause - .milliseconds(1))
                #expect(crew.missing == 0)
                time.advance(by: .milliseconds(1))
            }
            #expect(crew.missing == 1)
            crew.noteOpened()
        }
    }

    @Test func whatFailsOnceAtItsStartIsTriedAgainAfterAPause() {
        var crew = crew()

        crew.note(.broke(Self.broken, afterBytes: 0))
        #expect(crew.missing == 0)
        time.advance(by: .milliseconds(250))
        #expect(crew.missing == 1)
    }

    @Test func whatOthersBringDoesNotExcuseConnectionsThatBreakOff() {
        var crew = crew()

        crew.note(.broke(Self.broken, afterBytes: 100))
        crew.noteOpened()
        _ = crew.missing(reading(of: crew, received: 1 << 30))
        crew.note(.idle)
        crew.noteOpened()
        crew.note(.broke(Self.broken, afterBytes: 100))

        #expect(crew.missing == 0)
    }

    @Test(arguments: [0, 100] as [Int64])
    func connectionsThatBreakOffTogetherAreWaitedForOnce(bytes: Int64) {
        var crew = crew()

        for _ in 0..<4 { crew.note(.broke(Self.broken, afterBytes: bytes)) }

        #expect(crew.missing == 0)
        time.advance(by: .milliseconds(250))
        #expect(crew.desired == 4 && crew.missing == 4)
    }

    @Test func whatOneOfSeveralSourcesBreaksOffIsWaitedForToo() {
        var crew = crew()

        for _ in 0..<2 { crew.note(.broke(Self.broken, afterBytes: 100), isAlone: false) }

        #expect(crew.missing == 0)
        time.advance(by: .milliseconds(250))
        #expect(crew.missing == 2)
    }

    @Test func whatFailsTwiceAtItsStartIsNotBorne() {
        var crew = crew()

        for _ in 0..<2 {
            crew.note(.broke(Self.broken, afterBytes: 0))
            time.advance(by: .milliseconds(250))
        }

        time.advance(by: .seconds(60))
        #expect(crew.desired == 2 && crew.missing == 0)
    }

    @Test func onlyThoseThatBroughtBytesAreHeldToBeBorne() {
        var crew = crew()

        for _ in 0..<2 {
            _ = crew.missing(reading(of: crew, connections: 2))
            crew.note(.broke(Self.broken, afterBytes: 0))
            crew.noteOpened()
            time.advance(by: .milliseconds(250))
        }

        #expect(crew.desired == 2)
    }

    @Test func aFailedStartIsForgottenOnceAllAreAtWorkAgain() {
        var crew = crew()

        for _ in 0..<2 {
            crew.note(.broke(Self.broken, afterBytes: 0))
            time.advance(by: .milliseconds(250))
            crew.noteOpened()
            _ = crew.missing(reading(of: crew))
        }

        #expect(crew.desired == 4)
    }
}
