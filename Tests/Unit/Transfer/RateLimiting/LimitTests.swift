import Core
import Linux
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

struct LimitTests {
    private static let content = Content(size: 3_000_000)

    @Test func aFileThatIsAnnouncedTooLargeIsNotBegun() async throws {
        try await withBench(Self.content) { bench in
            let outcome = await bench.attempt(try bench.assignment { $0.maxBytes = Self.content.size - 1 })

            #expect(outcome.errorCode == .tooLarge)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(bench.parts.isEmpty)
        }
    }

    @Test(arguments: [Behaviour.Framing.contentLength, .chunked], [nil, 1 << 20, 1 << 40] as [Int64?])
    func theSmallerOfTheDownloadsLimitAndTheServicesHolds(_ framing: Behaviour.Framing, _ own: Int64?) async throws {
        let settings = Change<EngineSettings>.change { $0.maxDownloadBytes = Self.content.size - 1 }
        try await withBench(Self.content, script: [.framing(framing)], settings: settings) { bench in
            let outcome = await bench.attempt(try bench.assignment { $0.maxBytes = own })

            #expect(outcome.errorCode == .tooLarge)
            let limit = min(own ?? .max, Self.content.size - 1)
            #expect(outcome.failure?.error.message.contains("\(limit)") == true)
        }
    }

    @Test func aFileAsLargeAsItMayBeIsTaken() async throws {
        for framing in [Behaviour.Framing.contentLength, .chunked] {
            try await withBench(Self.content, script: [.framing(framing)]) { bench in
                let file = await bench.attempt(try bench.assignment { $0.maxBytes = Self.content.size }).file

                #expect(bench.holds(file))
            }
        }
    }

    @Test func aBodyWithoutALengthIsStoppedAtTheLimit() async throws {
        try await withBench(Content(size: 64 << 20), script: [.framing(.chunked)]) { bench in
            let assignment = try bench.assignment { $0.maxBytes = 1_000_000 }

            let outcome = await bench.attempt(assignment)

            #expect(outcome.errorCode == .tooLarge)
            let size = try bench.engine.disk.folders.parts.information(of: assignment.part.text).size
            #expect(size <= 1_000_000)
        }
    }

    @Test func anotherSizeThanExpectedFailsBeforeAByteIsWritten() async throws {
        try await withBench(Self.content) { bench in
            let outcome = await bench.attempt(try bench.assignment { $0.expected.sizeBytes = 5 })

            #expect(outcome.errorCode == .sizeMismatch)
            #expect(bench.parts.isEmpty)
        }
    }

    @Test func anotherSizeThanExpectedFailsAtTheEndWhereNoneWasAnnounced() async throws {
        try await withBench(Self.content, script: [.framing(.chunked)]) { bench in
            let outcome = await bench.attempt(try bench.assignment { $0.expected.sizeBytes = Self.content.size + 1 })

            #expect(outcome.errorCode == .sizeMismatch)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aFileForWhichThereIsNoRoomWaitsForSpace() async throws {
        try await withBench(Self.content, settings: .change { $0.minFreeBytes = .max >> 1 }) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcome = await bench.attempt(try bench.assignment(), checkpointSink)

            #expect(outcome.errorCode == .diskFull)
            #expect(outcome.failure?.failureClass == .space)
            #expect(checkpointSink.entries.isEmpty)
        }
    }

    @Test(arguments: [Behaviour.good, .framing(.chunked)], [Int64(0), 1, 1 << 20])
    func aSmallBodyOrOneWithoutALengthTakesNoRoomThatIsToStayFreeEither(script: Behaviour, size: Int64) async throws {
        let settings = Change<EngineSettings>.change { $0.minFreeBytes = .max >> 1 }
        try await withBench(Content(size: size), script: [script], settings: settings) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcome = await bench.attempt(try bench.assignment(), checkpointSink)

            #expect(outcome.errorCode == .diskFull)
            #expect(outcome.failure?.failureClass == .space)
            #expect(checkpointSink.entries.isEmpty)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aLackOfRoomKeepsWhatIsThere() async throws {
        try await withBench(Self.content, settings: .change { $0.minFreeBytes = .max >> 1 }) { bench in
            let assignment = try await bench.resumable(at: 100_000, total: Self.content.size)

            let outcome = await bench.attempt(assignment)

            #expect(outcome.errorCode == .diskFull)
            #expect(Self.content.matchesPrefix(of: bench.path(assignment.part), count: 100_000))
        }
    }
}
