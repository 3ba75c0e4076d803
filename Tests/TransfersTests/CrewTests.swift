import Model
import TestSupport
import Testing

@testable import Transfers

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

    private func reading(of crew: Crew, at instant: Duration = .seconds(1)) -> RampReading {
        RampReading(
            at: instant,
            receivedBytes: 0,
            connections: crew.active,
            remainingBytes: 1 << 40,
            roundTrip: .zero,
            ceiling: 4
        )
    }

    private static let broken = TransferFailure(DownloadError(.badResponse, message: ""))
    private static let mebibyte: Int64 = 1 << 20

    @Test func aConnectionThatBreaksOffBesideOthersIsReplacedAtOnce() {
        var crew = crew()

        #expect(crew.active == 4 && crew.missing == 0)
        for count in 1...3 {
            crew.note(.broke(Self.broken, atStart: false), received: Int64(count) * Self.mebibyte)
            #expect(crew.missing == 1)
            crew.noteOpened()
        }
    }

    @Test func connectionsThatBreakOffAgainAndAgainAreReplacedEverLater() {
        var crew = crew()

        for pause in [.zero, .milliseconds(250), .milliseconds(500), .seconds(1)] as [Duration] {
            crew.note(.broke(Self.broken, atStart: false), received: 100)
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

        crew.note(.broke(Self.broken, atStart: true))
        #expect(crew.missing == 0)
        time.advance(by: .milliseconds(250))
        #expect(crew.missing == 1)
    }

    @Test func whatFailsTwiceAtItsStartIsNotBorne() {
        var crew = crew()

        for _ in 0..<2 { crew.note(.broke(Self.broken, atStart: true)) }

        time.advance(by: .seconds(60))
        #expect(crew.desired == 2 && crew.missing == 0)
    }

    @Test func aFailedStartIsForgottenOnceAllAreAtWorkAgain() {
        var crew = crew()

        for _ in 0..<2 {
            crew.note(.broke(Self.broken, atStart: true))
            crew.noteOpened()
            _ = crew.missing(reading(of: crew))
        }

        #expect(crew.desired == 4)
    }
}
