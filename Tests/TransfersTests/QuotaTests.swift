import Core
import Testing
import TestSupport
@testable import Transfer

/// A file that its keeper has no room for.
struct QuotaTests {
    @Test(arguments: [1000, 1001] as [Int64])
    func whatIsNotAdmittedIsNeitherTakenNorLookedForElsewhere(_ largest: Int64) async throws {
        let content = Content(size: 1001)
        let mirror = Origin(content)
        defer { mirror.stop() }
        try await withBench(content) { bench in
            let keeper = MemoryKeeper(largest: largest)
            let outcome = await bench.attempt(try bench.assignment { $0.mirrors = [mirror.url()] }, keeper)

            #expect(bench.holds(outcome.file) == (largest == 1001))
            guard largest == 1000 else { return }
            #expect(outcome.errorCode == .quotaExceeded && keeper.entries.isEmpty)
            #expect(bench.origin.requests.count == 1 && mirror.requests.isEmpty)
        }
    }

    @Test func whatIsKnownToBeTooLargeIsNotAskedFor() async throws {
        try await withBench(Content(size: 1001)) { bench in
            let assignment = try bench.assignment { $0.expected.sizeBytes = 1001 }
            let outcome = await bench.attempt(assignment, MemoryKeeper(largest: 1000))

            #expect(outcome.errorCode == .quotaExceeded)
            #expect(bench.origin.requests.isEmpty)
        }
    }
}
