import Core
import Testing
import TestSupport
@testable import Transfer

/// What a 416 (RFC 9110, section 15.5.17) says about a download that wanted to go on.
struct UnsatisfiedTests {
    private static let size: Int64 = 300_000

    private func attempts(_ answer: Behaviour, _ keeper: MemoryKeeper) async throws -> (isRight: Bool, requests: Int) {
        var result = (isRight: false, requests: 0)
        let content = Content(size: Self.size)
        try await withBench(content, script: [.dropping(after: 100_000), answer, .good]) { bench in
            let outcomes = await bench.attempts(try bench.assignment(), keeper)
            result = (bench.holds(outcomes.last?.file), bench.origin.requests.count)
        }
        return result
    }

    @Test(arguments: ["bytes */200000", "bytes */50000", "bytes */400000"])
    func anotherTotalMeansAnotherFile(label: String) async throws {
        let keeper = MemoryKeeper()

        let (isRight, requests) = try await attempts(.ranges(.unsatisfiable(label)), keeper)

        #expect(isRight)
        #expect(keeper.restarts == ["total_changed"])
        #expect(requests == 3)
    }

    @Test(arguments: [nil, "bytes */300000", "bytes */*", "garbage"])
    func aRefusalThatSaysNothingIsFollowedByOnePlainRequest(label: String?) async throws {
        let keeper = MemoryKeeper()

        let (isRight, requests) = try await attempts(.ranges(.unsatisfiable(label)), keeper)

        #expect(isRight)
        #expect(requests == 3)
    }

    @Test func theRefusalAfterTheLastByteCompletesAFileWhoseTotalWasKnown() async throws {
        try await withBench(Content(size: Self.size)) { bench in
            let keeper = MemoryKeeper()
            var assignment = try await bench.resumable(at: Self.size, total: Self.size)
            assignment.download.source.suggestedName = "x.bin"

            let outcome = await bench.attempt(assignment, keeper)

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.isEmpty)
            #expect(outcome.file?.digests == [bench.content.sha256])
        }
    }

    @Test func theRefusalAfterTheLastByteOfUnknownTotalProvesNothingByItself() async throws {
        try await withBench(Content(size: Self.size)) { bench in
            let outcome = await bench.attempt(try await bench.resumable(at: Self.size, total: nil))

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.first?.value(of: "range") == "bytes=300000-")
        }
    }

    @Test func aRefusalOfThePlainRequestFailsTheAttempt() async throws {
        try await withBench(script: [.page(416)]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .badResponse)
            #expect(bench.files.isEmpty)
        }
    }
}
