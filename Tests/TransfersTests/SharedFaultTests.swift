import Core
import Testing
import TestSupport
@testable import Transfer

/// What the faults of some downloads mean for others of the same host.
@Suite(.timeLimit(.minutes(5)))
struct SharedFaultTests {
    @Test func bodiesThatBreakAfterNewBytesKeepNoDownloadFromTheHost() async throws {
        let content = Content(size: 400_000)
        let single = Change<EngineSettings>.change { $0.connections = 1 }
        try await withBench(content, script: [.dropping(after: 50_000)], settings: single) { bench in
            let runs = try await withThrowingTaskGroup(of: [AttemptOutcome].self) { group in
                for number in 0..<6 {
                    let assignment = try bench.assignment("/\(number)")
                    group.addTask { await bench.attempts(assignment, atMost: 12) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(runs.allSatisfy { bench.holds($0.last?.file, content) })
            #expect(runs.joined().allSatisfy { $0.file != nil || $0.failure != nil })
            #expect(bench.engine.hosts.snapshots.values.allSatisfy { $0.state == .closed })
        }
    }
}
