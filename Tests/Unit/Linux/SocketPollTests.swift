import Glibc
import TestSupport
import Testing

@testable import Linux

/// The waits that expect nothing are of no length, and the others end at once: nothing here takes time.
@Suite struct SocketPollTests {
    let poll: SocketPoll
    let pair: SocketPair

    init() throws {
        poll = try SocketPoll()
        pair = SocketPair()
    }

    @Test func aSocketIsReportedForWhatItIsReadyForAndWatchedFor() throws {
        try poll.watch(pair.near, for: [.reading, .writing])
        #expect(reported() == [pair.near: .writing])

        pair.writeFar()
        #expect(reported() == [pair.near: [.reading, .writing]])

        try poll.watch(pair.near, for: .reading)
        #expect(reported() == [pair.near: .reading])
    }

    @Test func aSocketThatIsForgottenIsReportedNoMore() throws {
        try poll.watch(pair.near, for: .writing)
        poll.forget(pair.near)

        #expect(reported().isEmpty)
    }

    @Test func theNumberOfAClosedSocketCanBeWatchedAnew() throws {
        try poll.watch(pair.near, for: .writing)
        let fresh = SocketPair()
        // Its number now names another socket, which the kernel does not watch yet.
        dup2(fresh.near, pair.near)

        try poll.watch(pair.near, for: .reading)
        fresh.writeFar()

        #expect(reported() == [pair.near: .reading])
    }

    @Test func theEndOfThePeerIsReportedWithoutARequest() throws {
        try poll.watch(pair.near, for: [])

        pair.closeFar()

        #expect(reported()[pair.near]?.isDisjoint(with: .failure) == false)
    }

    @Test func aRingEndsOneWaitAndIsNoSocket() throws {
        poll.wake()
        poll.wait(milliseconds: -1) { socket, _ in Issue.record("\(socket) is reported") }

        // Another one is heard again.
        poll.wake()
        poll.wait(milliseconds: -1) { socket, _ in Issue.record("\(socket) is reported") }
    }

    private func reported() -> [Int32: SocketPoll.Readiness] {
        var all: [Int32: SocketPoll.Readiness] = [:]
        poll.wait(milliseconds: 0) { all[$0] = $1 }
        return all
    }
}
