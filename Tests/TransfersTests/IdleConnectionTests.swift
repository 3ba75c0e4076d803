import Model
import TestSupport
import Testing

@testable import Transfers

/// Connections that are kept after an answer: how long, and for whom.
@Suite(.timeLimit(.minutes(5)))
struct IdleConnectionTests {
    private static let content = Content(size: 1000)
    /// A request waits this long for its answer's head before it is given up.
    private static let headTimeout = Duration.seconds(60)

    private static func loops(_ count: Int) -> Change<EngineSettings> { .change { $0.loops = count } }

    /// Several loops of which none closes an idle connection by itself while the test runs.
    private static var patientLoops: Change<EngineSettings> {
        .change { settings in
            settings.loops = 3
            settings.longestIdleness = .seconds(600)
        }
    }

    @Test func aServerOfOneThreadServesDownloadsOneAfterTheOther() async throws {
        let origin = Origin(Self.content, servesOneConnection: true)
        defer { origin.stop() }
        try await withBench(Self.content, settings: Self.patientLoops) { bench in
            let began = ContinuousClock.now
            for number in 0..<6 {
                let outcome = await bench.attempt(try bench.assignment(origin.url("/\(number)")))
                #expect(bench.holds(outcome.file))
            }

            #expect(ContinuousClock.now - began < Self.headTimeout / 2)
            #expect(origin.requests.count == 6)
        }
    }

    @Test func aServerOfOneThreadServesDownloadsThatRunAtOnce() async throws {
        let origin = Origin(Self.content, servesOneConnection: true)
        defer { origin.stop() }
        try await withBench(Self.content, settings: Self.patientLoops) { bench in
            let began = ContinuousClock.now
            let outcomes = try await withThrowingTaskGroup(of: AttemptOutcome.self) { group in
                for number in 0..<6 {
                    let assignment = try bench.assignment(origin.url("/\(number)"))
                    group.addTask { await bench.attempt(assignment) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(outcomes.allSatisfy { bench.holds($0.file) })
            #expect(ContinuousClock.now - began < Self.headTimeout / 2)
        }
    }

    @Test func downloadsOneAfterTheOtherShareAConnectionHoweverManyLoopsThereAre() async throws {
        try await withBench(Self.content, settings: Self.loops(4)) { bench in
            for number in 0..<12 { _ = await bench.attempt(try bench.assignment("/\(number)")) }

            #expect(bench.origin.requests.count == 12)
            #expect(bench.origin.connectionCount == 1)
        }
    }

    @Test func downloadsThatRunAtOnceShareAsManyConnectionsAsThereAreOfThem() async throws {
        let (lanes, files) = (4, 20)
        // More loops than connections that are allowed below: taking turns would open one in each.
        try await withBench(Self.content, settings: Self.loops(16)) { bench in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<lanes {
                    let assignments = try (0..<files).map { try bench.assignment("/\(lane)-\($0)") }
                    group.addTask { for assignment in assignments { _ = await bench.attempt(assignment) } }
                }
                try await group.waitForAll()
            }

            #expect(bench.origin.requests.count == lanes * files)
            // Two that begin at the same instant may each find the other's connection taken.
            #expect(bench.origin.connectionCount <= 3 * lanes)
        }
    }

    @Test(arguments: [nil, TLSServer(trustedAuthority.issue())])
    func aConnectionThatNobodyUsesIsClosedSoon(_ server: TLSServer?) async throws {
        let soon = Change<EngineSettings>.change { $0.longestIdleness = .seconds(1) }
        let body: (Bench) async throws -> Void = { bench in
            #expect(bench.holds(await bench.attempt(try bench.assignment()).file))

            try await eventually { bench.origin.openConnectionCount == 0 }
            #expect(bench.holds(await bench.attempt(try bench.assignment("/again")).file))
        }
        if let server {
            try await withTLSBench(Self.content, tls: server, settings: soon, body)
        } else {
            try await withBench(Self.content, settings: soon, body)
        }
    }
}
