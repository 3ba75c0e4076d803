import Core
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// A disk that takes its time is no fault of the connections that wait for it.
struct SlowDiskTests {
    private static let content = Content(size: 4 << 20)
    private static let window: Int64 = 256 << 10

    private static var settings: Change<EngineSettings> {
        .change { settings in
            Change.sharing(2).apply(&settings)
            settings.flushBytes = window
            // Once the second connection has its half, there is none that would be shared once more.
            settings.ramp.minimumShare = 3 << 19
        }
    }

    @Test(.hangLimit) func aRecordThatTakesLongEndsNoConnection() async throws {
        let (rest, recorded) = (Signal(), Signal())
        let checkpointSink = MemoryCheckpointSink { call, _ in
            if call == .checkpoint { await recorded.wait() }
            return .record
        }
        let script = [Behaviour.pace(.stall(after: 100_000, until: rest)), .good]
        try await withBench(Self.content, script: script, settings: Self.settings) { bench in
            let meter = ProgressMeter(time: bench.time.source)
            let assignment = try bench.assignment()
            checkpointSink.assignment = assignment
            let task = Task { await bench.engine.attempt(assignment, checkpointSink: checkpointSink, meter: meter) }
            // The first tick opens the second connection.
            try await bench.time.turn(by: .milliseconds(4), until: "a second connection") {
                bench.origin.requests.count == 2 ? () : nil
            }
            rest.fire()
            try await poll("two windows", because: .counter) {
                meter.reading.receivedBytes
            } is: {
                $0 >= 2 * Self.window
            }

            for _ in 0..<40 {
                // One for the next look at the connections, one for the next flush.
                await bench.time.sleepers(atLeast: 2)
                bench.time.advance(by: .milliseconds(100))
            }
            await bench.time.sleepers(atLeast: 2)
            recorded.fire()

            #expect(bench.holds(await task.value.file))
            #expect(bench.origin.requests.count == 2)
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test func aWindowWasFullUntilThereWasARecord() {
        let window = FlushWindow(size: 100, recorded: []) {}
        let segments = [Segment(index: 0, start: 0, end: nil, durableEnd: 200)]

        window.updateRecorded([], at: .seconds(1))
        #expect(!window.wasFull(after: .zero))
        window.add(200)
        #expect(window.wasFull(after: .seconds(9)))
        window.updateRecorded(segments, at: .seconds(5))
        #expect(window.wasFull(after: .seconds(4)))
        #expect(!window.wasFull(after: .seconds(5)))
        window.updateRecorded(segments, at: .seconds(7))
        #expect(!window.wasFull(after: .seconds(5)))
    }
}
