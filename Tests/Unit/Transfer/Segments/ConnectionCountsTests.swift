import Core
import TestSupport
import Testing
import TransferRules

@testable import Transfer

struct ConnectionCountsTests {
    private let time = ManualTime()

    /// Four connections at work, as many as are wanted.
    private func connectionCounts() -> ConnectionCounts {
        var rules = RampRules()
        (rules.minimumShare, rules.worthwhileTime, rules.shortestStep, rules.leastSample) = (1, .zero, .zero, 0)
        let connectionCounts = ConnectionCounts(rules: rules, time: time.source)
        connectionCounts.recordOpened()
        for step in 0..<20 {
            for _ in 0..<connectionCounts.missing(reading(of: connectionCounts, at: .milliseconds(step))) {
                connectionCounts.recordOpened()
            }
        }
        return connectionCounts
    }

    private func reading(
        of connectionCounts: ConnectionCounts,
        at instant: Duration = .seconds(1),
        received: Int64 = 0,
        connections: Int? = nil
    ) -> RampSample {
        RampSample(
            at: instant,
            receivedBytes: received,
            connections: connections ?? connectionCounts.active,
            remainingBytes: 1 << 40,
            roundTrip: .zero,
            ceiling: 4
        )
    }

    private static let broken = TransferFailure(DownloadError(.badResponse, message: ""))

    @Test func aConnectionThatBreaksOffBesideOthersIsReplacedAtOnce() {
        let connectionCounts = connectionCounts()

        #expect(connectionCounts.active == 4 && connectionCounts.missing == 0)
        for _ in 1...3 {
            connectionCounts.record(.broke(Self.broken, afterBytes: ConnectionCounts.leastProgress))
            #expect(connectionCounts.missing == 1)
            connectionCounts.recordOpened()
            time.advance(by: .milliseconds(100))
        }
    }

    @Test func someThatBreakOffTogetherAreAllReplacedAtOnce() {
        let connectionCounts = connectionCounts()
        time.advance(by: .seconds(1))
        _ = connectionCounts.missing(reading(of: connectionCounts))
        #expect(connectionCounts.reviewInterval == .seconds(1))

        for broken in 1...4 {
            connectionCounts.record(.broke(Self.broken, afterBytes: ConnectionCounts.leastProgress))
            #expect(connectionCounts.missing == broken)
        }
        for _ in 1...4 { connectionCounts.recordOpened() }
        connectionCounts.record(.broke(Self.broken, afterBytes: ConnectionCounts.leastProgress))

        #expect(connectionCounts.missing == 0 && connectionCounts.reviewInterval == .milliseconds(100))
        time.advance(by: .milliseconds(100))
        #expect(connectionCounts.missing == 1)
    }

    @Test func atMostTenASecondAreReplacedBesideThoseAtOnce() {
        let connectionCounts = connectionCounts()
        var replaced = 0

        for _ in 0..<1000 {
            if connectionCounts.missing > 0 {
                connectionCounts.recordOpened()
                replaced += 1
                connectionCounts.record(.broke(Self.broken, afterBytes: ConnectionCounts.leastProgress))
            } else if replaced == 0 {
                connectionCounts.record(.broke(Self.broken, afterBytes: ConnectionCounts.leastProgress))
            }
            time.advance(by: .milliseconds(1))
        }

        #expect((12...14).contains(replaced))
    }

    @Test func aHostThatIsFullDoesNotHideWhatBreaks() {
        let connectionCounts = connectionCounts()

        for _ in 0..<2 {
            connectionCounts.recordHostWait()
            connectionCounts.record(.broke(Self.broken, afterBytes: 100))
            connectionCounts.recordOpened()
            time.advance(by: .milliseconds(250))
        }
        connectionCounts.record(.broke(Self.broken, afterBytes: 100))

        time.advance(by: .milliseconds(499))
        #expect(connectionCounts.missing == 0)
        time.advance(by: .milliseconds(1))
        #expect(connectionCounts.missing == 1)
    }

    @Test func connectionsThatBreakOffAgainAndAgainAreReplacedEverLater() {
        let connectionCounts = connectionCounts()

        for pause in [.zero, .milliseconds(250), .milliseconds(500), .seconds(1)] as [Duration] {
            connectionCounts.record(.broke(Self.broken, afterBytes: 100))
            if pause > .zero {
                time.advance(by: pause - .milliseconds(1))
                #expect(connectionCounts.missing == 0)
                time.advance(by: .milliseconds(1))
            }
            #expect(connectionCounts.missing == 1)
            connectionCounts.recordOpened()
        }
    }

    @Test func aConnectionThatFailsAtItsStartIsRetriedAfterADelay() {
        let connectionCounts = connectionCounts()

        connectionCounts.record(.broke(Self.broken, afterBytes: 0))
        #expect(connectionCounts.missing == 0)
        time.advance(by: .milliseconds(250))
        #expect(connectionCounts.missing == 1)
    }

    @Test func bytesOfOthersDoNotExcuseBrokenConnections() {
        let connectionCounts = connectionCounts()

        connectionCounts.record(.broke(Self.broken, afterBytes: 100))
        connectionCounts.recordOpened()
        _ = connectionCounts.missing(reading(of: connectionCounts, received: 1 << 30))
        connectionCounts.record(.idle)
        connectionCounts.recordOpened()
        connectionCounts.record(.broke(Self.broken, afterBytes: 100))

        #expect(connectionCounts.missing == 0)
    }

    @Test(arguments: [0, 100] as [Int64])
    func connectionsThatBreakOffTogetherAreWaitedForOnce(bytes: Int64) {
        let connectionCounts = connectionCounts()

        for _ in 0..<4 { connectionCounts.record(.broke(Self.broken, afterBytes: bytes)) }

        #expect(connectionCounts.missing == 0)
        time.advance(by: .milliseconds(250))
        #expect(connectionCounts.desired == 4 && connectionCounts.missing == 4)
    }

    @Test func aBrokenConnectionOfOneSourceIsRetriedToo() {
        let connectionCounts = connectionCounts()

        for _ in 0..<2 { connectionCounts.record(.broke(Self.broken, afterBytes: 100), isAlone: false) }

        #expect(connectionCounts.missing == 0)
        time.advance(by: .milliseconds(250))
        #expect(connectionCounts.missing == 2)
    }

    @Test func aConnectionThatFailsTwiceAtItsStartIsNotOpenedAgain() {
        let connectionCounts = connectionCounts()

        for _ in 0..<2 {
            connectionCounts.record(.broke(Self.broken, afterBytes: 0))
            time.advance(by: .milliseconds(250))
        }

        time.advance(by: .seconds(60))
        #expect(connectionCounts.desired == 2 && connectionCounts.missing == 0)
    }

    @Test func onlyConnectionsThatReceivedBytesCountAsAccepted() {
        let connectionCounts = connectionCounts()

        for _ in 0..<2 {
            _ = connectionCounts.missing(reading(of: connectionCounts, connections: 2))
            connectionCounts.record(.broke(Self.broken, afterBytes: 0))
            connectionCounts.recordOpened()
            time.advance(by: .milliseconds(250))
        }

        #expect(connectionCounts.desired == 2)
    }

    @Test func aFailedStartIsForgottenOnceAllAreAtWorkAgain() {
        let connectionCounts = connectionCounts()

        for _ in 0..<2 {
            connectionCounts.record(.broke(Self.broken, afterBytes: 0))
            time.advance(by: .milliseconds(250))
            connectionCounts.recordOpened()
            _ = connectionCounts.missing(reading(of: connectionCounts))
        }

        #expect(connectionCounts.desired == 4)
    }
}
