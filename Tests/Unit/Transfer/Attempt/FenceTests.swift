import Core
import Synchronization
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// A keeper that refuses ends the attempt at once.
struct FenceTests {
    private static let content = Content(size: 4 << 20)

    private func checkpointSink(
        _ intercepted: MemoryCheckpointSink.Call,
        _ reply: MemoryCheckpointSink.Reply
    ) -> MemoryCheckpointSink {
        MemoryCheckpointSink { call, _ in call == intercepted ? reply : .record }
    }

    @Test func aLostDownloadIsWrittenNoMore() async throws {
        try await withBench(Self.content) { bench in
            let checkpointSink = checkpointSink(.checkpoint, .lost)
            let outcome = await bench.attempt(try bench.assignment(), checkpointSink)

            #expect(outcome.isLost)
            #expect(checkpointSink.entries.isEmpty)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aDownloadLostAtItsEndIsLost() async throws {
        try await withBench(Content(size: 5000), script: [.dropping(after: 1000)]) { bench in
            let outcome = await bench.attempt(try bench.assignment(), checkpointSink(.checkpoint, .lost))

            #expect(outcome.isLost)
        }
    }

    @Test func aLostRestartLeavesThePartAlone() async throws {
        try await withBench(Content(size: 300_000), script: [.version(1)]) { bench in
            let assignment = try await bench.resumable(at: 100_000, total: 300_000)

            let outcome = await bench.attempt(assignment, checkpointSink(.restart, .lost))

            #expect(outcome.isLost)
            #expect(bench.parts == [assignment.part.text])
            #expect(bench.content.matchesPrefix(of: bench.path(assignment.part), count: 100_000))
        }
    }

    @Test func aLostPublicationMovesNothing() async throws {
        try await withBench(Content(size: 5000)) { bench in
            let assignment = try bench.assignment()

            let outcome = await bench.attempt(assignment, checkpointSink(.publish, .lost))

            #expect(outcome.isLost)
            #expect(bench.files.isEmpty)
            #expect(bench.parts == [assignment.part.text])
        }
    }

    @Test(arguments: [MemoryCheckpointSink.Call.checkpoint, .publish])
    func aRecordThatCannotBeWrittenStopsTheAttempt(call: MemoryCheckpointSink.Call) async throws {
        try await withBench(Self.content) { bench in
            let checkpointSink = checkpointSink(call, .fail)

            let outcome = await bench.attempt(try bench.assignment(), checkpointSink)

            #expect(outcome.isUnrecorded)
            #expect(outcome.madeProgress == (call == .publish))
            #expect(checkpointSink.published.isEmpty)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func bytesRecordedBeforeAFailureAreProgress() async throws {
        try await withBench(Self.content) { bench in
            let count = Atomic<Int>(0)
            let checkpointSink = MemoryCheckpointSink { call, _ in
                guard call == .checkpoint else { return .record }
                return count.wrappingAdd(1, ordering: .relaxed).oldValue == 0 ? .record : .fail
            }

            let outcome = await bench.attempt(try bench.assignment(), checkpointSink)

            #expect(outcome.isUnrecorded)
            #expect(outcome.madeProgress)
        }
    }

    @Test func aRestartThatCannotBeWrittenStopsTheAttempt() async throws {
        try await withBench(Content(size: 300_000), script: [.version(1)]) { bench in
            let assignment = try await bench.resumable(at: 100_000, total: 300_000)

            #expect(await bench.attempt(assignment, checkpointSink(.restart, .fail)).isUnrecorded)
            #expect(bench.parts == [assignment.part.text])
        }
    }
}
