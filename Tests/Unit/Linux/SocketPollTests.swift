import Glibc
import Testing

@testable import Linux

/// The waits that expect nothing are of no length, and the others end at once: nothing here takes time.
@Suite struct SocketPollTests {
    let poll: SocketPoll
    let pair: Pair

    init() throws {
        poll = try SocketPoll()
        pair = Pair()
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
        let fresh = Pair()
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

/// Two sockets that are each other's peer.
final class Pair {
    let near: Int32
    private var far: Int32?

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        (near, far) = (ends[0], ends[1])
    }

    deinit {
        close(near)
        closeFar()
    }

    func writeFar() {
        if let far { precondition(write(far, "x", 1) == 1) }
    }

    func closeFar() {
        if let far { close(far) }
        far = nil
    }
}
