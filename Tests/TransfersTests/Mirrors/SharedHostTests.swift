import Core
import Testing
import TestSupport
@testable import Transfer

/// A download whose sources are at hosts that others wait for.
struct SharedHostTests {
    private static let content = Content(size: 4 << 20)
    /// Comes to no end of a share while the test lasts.
    private static let slow = Behaviour.pace(.drip(byteCount: 1 << 10, every: .milliseconds(50)))

    @Test func aConnectionThatIsGivenUpIsNotOpenedAgainAtTheSameHost() async throws {
        let settings = Change<EngineSettings>.change { settings in
            settings.connections = 4
            settings.connectionsPerHost = 2
            settings.ramp = .unmeasured
        }
        let mirror = Origin(Self.content, script: [Self.slow])
        defer { mirror.stop() }
        try await withBench(Self.content, script: [Self.slow], settings: settings, runsByItself: true) { bench in
            let hosts = bench.engine.hosts
            let (first, second) = ("127.0.0.1:\(bench.origin.port)", "127.0.0.1:\(mirror.port)")
            func open() -> [Int] { [first, second].map { hosts.snapshot(of: $0).openConnections } }
            let assignment = try bench.assignment { $0.mirrors = [mirror.url("/file.bin")] }
            async let attempt = bench.attempt(assignment)
            try await eventually { open() == [2, 2] }
            await bench.origin.requests(atLeast: 2)
            let before = bench.origin.requests.count

            hosts.noteClaim(of: [], leaving: [first])
            try await eventually { open() == [1, 2] }
            // Some ten times as often as the engine looks whether it should have more.
            var looks = 0
            try await eventually {
                looks += 1
                return looks == 500 || open() != [1, 2]
            }
            #expect(open() == [1, 2])
            #expect(bench.origin.requests.count == before)

            hosts.noteClaim(of: [], leaving: [])
            try await eventually { open() == [2, 2] }
            bench.origin.stop()
            mirror.stop()
            #expect(await attempt.file == nil)
        }
    }
}
