import Core
import Linux
import Synchronization
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// The record may lag behind the disk, and never runs ahead of it.
struct CheckpointTests {
    private static let content = Content(size: 4 << 20)

    @Test func everyRecordedByteIsInTheFileWhenItIsRecorded() async throws {
        try await withBench(Self.content) { bench in
            let assignment = try bench.assignment()
            let path = bench.path(assignment.part)
            let broken = Mutex<[Int64]>([])
            let checkpointSink = MemoryCheckpointSink { call, entry in
                guard call == .checkpoint, case .checkpoint(let checkpoint) = entry else { return .record }
                let isThere = Self.content.matchesPrefix(of: path, count: checkpoint.durableEnd)
                if !isThere { broken.withLock { $0.append(checkpoint.durableEnd) } }
                return .record
            }

            let outcome = await bench.attempt(assignment, checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(broken.withLock { $0 } == [])
            #expect(!checkpointSink.checkpoints.isEmpty)
            let ends = checkpointSink.checkpoints.map(\.durableEnd)
            #expect(ends == ends.sorted())
            #expect(checkpointSink.checkpoints.allSatisfy { $0.totalBytes == Self.content.size && $0.generation == 1 })
        }
    }

    @Test func aSmallFileCostsNoRecordBeforeItsLast() async throws {
        try await withBench(Content(size: 1 << 20)) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcome = await bench.attempt(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.entries.count == 1)
            #expect(checkpointSink.published.count == 1)
        }
    }

    @Test func theLastRecordComesBeforeTheFinalName() async throws {
        try await withBench(Content(size: 5000)) { bench in
            let assignment = try bench.assignment()
            let seen = Mutex<[[String]]>([])
            let checkpointSink = MemoryCheckpointSink { call, _ in
                if call == .publish { seen.withLock { $0.append(bench.files + bench.parts) } }
                return .record
            }

            let outcome = await bench.attempt(assignment, checkpointSink)

            #expect(seen.withLock { $0 } == [[assignment.part.text]])
            #expect(bench.holds(outcome.file))
        }
    }

    @Test func theLastRecordNamesTheVeryFileThatIsMoved() async throws {
        try await withBench(Content(size: 5000)) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let file = try #require(await bench.attempt(try bench.assignment(), checkpointSink).file)

            let moved = try bench.engine.disk.folders.downloads.information(of: file.path)
            #expect(checkpointSink.published == [file])
            #expect(file.isSame(as: moved))
        }
    }

    @Test func aSlowTransferIsRecordedByTheClock() async throws {
        let rest = Signal()
        let script = [Behaviour.pace(.stall(after: 100_000, until: rest))]
        try await withBench(Self.content, script: script, settings: .change { $0.flushBytes = 16 << 20 }) { bench in
            let assignment = try bench.assignment()
            let recorded = Signal()
            let checkpointSink = MemoryCheckpointSink { call, _ in
                if call == .checkpoint { recorded.fire() }
                return .record
            }
            async let outcome = bench.attempt(assignment, checkpointSink)
            try await bench.time.turn(by: .seconds(1), until: "a checkpoint") {
                if recorded.count > 0 { return () }
                await bench.time.sleepers(atLeast: 1)
                return nil
            }
            rest.fire()

            #expect(bench.holds(await outcome.file))
            #expect(checkpointSink.checkpoints.first.map { $0.durableEnd <= 100_000 } == true)
        }
    }

    @Test func noMoreThanTwoWindowsWaitForTheirRecord() async throws {
        let window: Int64 = 256 << 10
        let gather: Int64 = 1 << 20
        try await withBench(Content(size: 8 << 20), settings: .change { $0.flushBytes = window }) { bench in
            bench.origin.serve("/other", Content(size: 3 << 20))
            let assignment = try bench.assignment()
            let other = try bench.assignment("/other")
            let worst = Mutex<Int64>(0)
            let recorded = Mutex<Int64>(0)
            let checkpointSink = MemoryCheckpointSink { call, entry in
                guard call == .checkpoint, case .checkpoint(let checkpoint) = entry else { return .record }
                // Another download goes through the same loop meanwhile, which gives this one time to run ahead.
                if recorded.withLock({ $0 }) == 0 { _ = await bench.attempt(other) }
                let size = try? bench.engine.disk.folders.parts.information(of: assignment.part.text).size
                let ahead = (size ?? .max) - recorded.withLock { $0 }
                worst.withLock { $0 = max($0, ahead) }
                recorded.withLock { $0 = checkpoint.durableEnd }
                return .record
            }

            let outcome = await bench.attempt(assignment, checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(worst.withLock { $0 } <= 2 * window + gather)
        }
    }
}

extension Content {
    /// Whether the file holds at least the first `count` bytes of this content.
    func matchesPrefix(of path: String, count: Int64) -> Bool {
        guard let file = try? File(path: path, access: .read) else { return false }
        var buffer = [UInt8](repeating: 0, count: Int(count))
        guard let read = try? file.read(into: &buffer, at: 0) else { return false }
        return read == buffer.count && buffer == bytes(in: 0..<count)
    }
}
