import Core
import Dispatch
import Linux
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// An attempt that is called off ends, and what had come is kept.
struct CancellationTests {
    private static let content = Content(size: 4 << 20)

    @Test func beforeItBegan() async throws {
        try await withBench { bench in
            let checkpointSink = MemoryCheckpointSink()
            let assignment = try bench.assignment()
            let gate = Signal()
            let task = Task {
                await gate.wait()
                return await bench.attempt(assignment, checkpointSink)
            }
            task.cancel()
            gate.fire()

            #expect(await task.value.isStopped)
            #expect(bench.origin.requests.isEmpty)
            #expect(checkpointSink.entries.isEmpty)
        }
    }

    @Test func whileTheOriginIsSilent() async throws {
        try await withBench(script: [.pace(.stallBeforeHead(until: Signal()))]) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let assignment = try bench.assignment()
            let task = Task { await bench.attempt(assignment, checkpointSink) }
            await bench.origin.requests(atLeast: 1)
            task.cancel()

            #expect(await task.value.isStopped)
            #expect(checkpointSink.entries.isEmpty)
            #expect(bench.parts.isEmpty)
        }
    }

    @Test func inTheMiddleOfASmallBody() async throws {
        try await withBench(script: [.pace(.stall(after: 500, until: Signal())), .good]) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let assignment = try bench.assignment()
            let meter = ProgressMeter(time: bench.time.source)
            checkpointSink.assignment = assignment
            let task = Task { await bench.engine.attempt(assignment, checkpointSink: checkpointSink, meter: meter) }
            try await poll("a transfer", because: .counter) {
                meter.reading.phase
            } is: {
                $0 == .transferring
            }
            task.cancel()

            #expect(await task.value.isStopped)
        }
    }

    @Test func inTheMiddleOfTheBody() async throws {
        let script: [Behaviour] = [.pace(.stall(after: 2 << 20, until: Signal())), .good]
        try await withBench(Self.content, script: script) { bench in
            let recorded = Signal()
            let checkpointSink = MemoryCheckpointSink { call, _ in
                if call == .checkpoint { recorded.fire() }
                return .record
            }
            let assignment = try bench.assignment()
            let task = Task { await bench.attempt(assignment, checkpointSink) }
            await recorded.wait()
            task.cancel()

            #expect(await task.value.isStopped)
            let durable = try #require(checkpointSink.checkpoints.last?.durableEnd)
            let outcome = await bench.attempt(try #require(checkpointSink.assignment), checkpointSink)
            #expect(durable > 0)
            #expect(bench.origin.requests.last?.value(of: "range")?.hasPrefix("bytes=\(durable)-") == true)
            #expect(bench.holds(outcome.file))
        }
    }

    @Test func whileARecordIsBeingWritten() async throws {
        try await withBench(Self.content) { bench in
            let begun = Signal()
            let release = Signal()
            let checkpointSink = MemoryCheckpointSink { call, _ in
                if call == .checkpoint && begun.count == 0 {
                    begun.fire()
                    await release.wait()
                }
                return .record
            }
            let assignment = try bench.assignment()
            let task = Task { await bench.attempt(assignment, checkpointSink) }
            await begun.wait()
            task.cancel()
            release.fire()

            #expect(await task.value.isStopped)
            let outcome = await bench.attempt(try #require(checkpointSink.assignment), checkpointSink)
            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    /// Nothing is flushed on the way here, and no thread is free to hash what came.
    @Test func whileTheDigestIsComputed() async throws {
        let rest = Signal()
        let script: [Behaviour] = [.pace(.stall(after: 100_000, until: rest))]
        try await withBench(Self.content, script: script, settings: .change { $0.flushBytes = 16 << 20 }) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let assignment = try bench.assignment()
            let task = Task { await bench.attempt(assignment, checkpointSink) }
            let watch = FolderWatch(bench.folder("parts"))
            let size = { (try? bench.engine.disk.folders.parts.information(of: assignment.part.text).size) ?? 0 }
            await bench.origin.requests(atLeast: 1)
            try await watch.waitUntil("bytes in the part file", look: size) { $0 > 0 }
            let gate = DispatchSemaphore(value: 0)
            for _ in 0..<4 { bench.engine.disk.pool.submit { gate.wait() } }
            rest.fire()
            try await watch.waitUntil("the whole part file") {
                Self.content.matches(fileAt: bench.path(assignment.part))
            } is: {
                $0
            }
            task.cancel()
            for _ in 0..<4 { gate.signal() }

            #expect(await task.value.isStopped)
            #expect(checkpointSink.checkpoints.last?.durableEnd == Self.content.size)
            #expect(bench.holds(await bench.attempt(try #require(checkpointSink.assignment), checkpointSink).file))
            #expect(bench.origin.requests.count == 1)
        }
    }

    @Test func tooLateOnceTheFileIsRecorded() async throws {
        try await withBench { bench in
            let begun = Signal()
            let release = Signal()
            let checkpointSink = MemoryCheckpointSink { call, _ in
                guard call == .publish else { return .record }
                begun.fire()
                await release.wait()
                return .record
            }
            let assignment = try bench.assignment()
            let task = Task { await bench.attempt(assignment, checkpointSink) }
            await begun.wait()
            task.cancel()
            release.fire()

            #expect(bench.holds(await task.value.file))
        }
    }

    @Test func byTheEndOfTheEngine() async throws {
        try await withBench(Self.content, script: [.pace(.stall(after: 100_000, until: Signal()))]) { bench in
            let assignment = try bench.assignment()
            async let outcome = bench.attempt(assignment)
            await bench.origin.requests(atLeast: 1)
            await bench.engine.shutdown()

            #expect(await outcome.isStopped)
            let later = await bench.attempt(assignment)
            #expect(later.isStopped)
        }
    }
}
