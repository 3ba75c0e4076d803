import Linux
import TestSupport
import Testing

@testable import Curl

/// The waits are of no length: nothing here takes time.
@Suite struct RestingSocketsTests {
    private let poll: SocketPoll
    private let pair = SocketPair()
    private var near: Int32 { pair.near }
    private var sockets: RestingSockets

    init() throws {
        poll = try SocketPoll()
        sockets = RestingSockets(poll: poll)
        // The socket is always ready.
        pair.closeFar()
    }

    private func isReported() -> Bool {
        var isReported = false
        poll.wait(milliseconds: 0) { socket, _ in isReported = isReported || socket == near }
        return isReported
    }

    @Test mutating func aSocketRestsForFourTurns() {
        sockets.watch(near, for: .reading)
        #expect(isReported())

        sockets.rest(near)

        for _ in 0..<3 {
            sockets.beginTurn()
            #expect(!isReported())
        }
        sockets.beginTurn()
        #expect(isReported())
    }

    @Test mutating func aSocketIsWatchedAtOnceForNewEvents() {
        sockets.watch(near, for: .reading)
        sockets.rest(near)

        sockets.watch(near, for: [.reading, .writing])

        #expect(isReported())
        // What it rested for before does not change what it is watched for now.
        for _ in 0..<4 { sockets.beginTurn() }
        sockets.rest(near)
        #expect(isReported())
    }

    @Test mutating func aForgottenSocketIsNotWatchedAgain() {
        sockets.watch(near, for: .reading)
        sockets.rest(near)

        sockets.watch(near, for: [])

        for _ in 0..<4 { sockets.beginTurn() }
        #expect(!isReported())
        sockets.rest(near)
        for _ in 0..<4 { sockets.beginTurn() }
        #expect(!isReported())
    }

    @Test mutating func aSocketThatRestsAgainHasAllItsTurns() {
        sockets.watch(near, for: .reading)
        sockets.rest(near)
        sockets.beginTurn()
        sockets.beginTurn()
        sockets.watch(near, for: .reading)

        sockets.rest(near)

        for _ in 0..<3 {
            sockets.beginTurn()
            #expect(!isReported())
        }
        sockets.beginTurn()
        #expect(isReported())
    }
}

/// When a body counts as slow.
struct BodyPaceTests {
    private let begin = ContinuousClock.now
    private let length: Int64 = 1 << 30

    /// - Parameter rate: In bytes per second.
    private func isSlow(rate: Int64, after seconds: Int, of total: Int64? = 1 << 30) -> Bool {
        var pace = BodyPace(at: begin)
        return (1...seconds).map { pace.mayRest(rate * Int64($0), of: total, at: begin + .seconds($0)) }.last ?? false
    }

    @Test func aBodyIsSlowBelowFortyEightKibibytesASecond() {
        #expect(isSlow(rate: 20_000, after: 20))
        #expect(!isSlow(rate: 50_000, after: 20))
    }

    @Test func aNewBodyIsNotSlow() {
        #expect(!isSlow(rate: 20_000, after: 9))
    }

    @Test func theEndOfABodyIsNotSlow() {
        #expect(isSlow(rate: 20_000, after: 20, of: 400_000 + (129 << 10)))
        #expect(!isSlow(rate: 20_000, after: 20, of: 400_000 + (128 << 10)))
        #expect(isSlow(rate: 20_000, after: 20, of: nil))
    }

    @Test func aBodyThatBecomesFasterIsNoLongerSlow() {
        var pace = BodyPace(at: begin)
        let isSlow = (
            first: pace.mayRest(200_000, of: length, at: begin + .seconds(10)),
            second: pace.mayRest(400_000, of: length, at: begin + .seconds(11))
        )
        #expect(isSlow == (true, false))
    }
}
