import Testing

@testable import Curl

/// Which loop is to ask next, by the connections that the loops keep.
@Suite struct IdleConnectionsTests {
    private let idle = IdleConnections()
    private let address: SocketAddress

    init() throws {
        address = try #require(SocketAddress("192.0.2.1", port: 80))
    }

    private func keep(_ count: Int, loop: Int) {
        for _ in 0..<count { idle.count(1, address, "a.example:80", loop: loop) }
    }

    private func use(loop: Int) { idle.count(-1, address, "a.example:80", loop: loop) }

    @Test func eachConnectionIsTakenOnce() {
        keep(2, loop: 3)

        #expect(idle.useIdleLoop(for: "a.example:80") == 3)
        #expect(idle.useIdleLoop(for: "a.example:80") == 3)
        #expect(idle.useIdleLoop(for: "a.example:80") == nil)
    }

    @Test func aLoopOfAnotherKindIsNotTaken() {
        keep(1, loop: 4)

        #expect(idle.useIdleLoop(for: "a.example:80", below: 4) == nil)
        #expect(idle.useIdleLoop(for: "a.example:80", below: 5) == 4)
    }

    /// By the one that it was taken for.
    @Test func usingAnIdleConnectionKeepsTheOthers() {
        keep(2, loop: 3)

        #expect(idle.useIdleLoop(for: "a.example:80") == 3)
        use(loop: 3)
        #expect(idle.useIdleLoop(for: "a.example:80") == 3)
        use(loop: 3)
        #expect(idle.useIdleLoop(for: "a.example:80") == nil)
        keep(1, loop: 3)
        #expect(idle.useIdleLoop(for: "a.example:80") == 3)
    }
}
