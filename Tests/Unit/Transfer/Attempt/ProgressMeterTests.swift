import Core
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

struct ProgressMeterTests {
    private let start = Duration.seconds(100)

    @Test func speedIsBytesOverTime() {
        var gauge = SpeedGauge()
        gauge.begin(at: 1000, now: start)
        gauge.advance(to: 3000, now: start + .seconds(1))

        #expect(gauge.bytesPerSecond(at: start + .seconds(2)) == 1000)
        #expect(gauge.bytesPerSecond(at: start + .seconds(4)) == 500)
    }

    @Test func storedBytesDoNotCountAsSpeed() {
        var gauge = SpeedGauge()
        #expect(gauge.bytesPerSecond(at: start) == 0)

        gauge.begin(at: 1 << 40, now: start)

        #expect(gauge.bytesPerSecond(at: start) == 0)
        #expect(gauge.bytesPerSecond(at: start + .seconds(1)) == 0)
    }

    @Test func anOldBurstIsForgotten() {
        var gauge = SpeedGauge()
        gauge.begin(at: 0, now: start)
        gauge.advance(to: 1_000_000, now: start + .seconds(1))
        for second in 2...20 { gauge.advance(to: 1_000_000 + Int64(second), now: start + .seconds(second)) }

        #expect(gauge.bytesPerSecond(at: start + .seconds(20)) < 2)
    }

    @Test func verifiedBytesCountInTheirPhaseOnly() {
        let meter = ProgressMeter(receivedBytes: 9, totalBytes: 9, time: ManualTime().source)
        #expect(meter.reading.verifiedBytes == nil)

        meter.recordVerified(5)
        #expect(meter.reading.verifiedBytes == nil)
        meter.enter(.verifying)
        #expect(meter.reading.verifiedBytes == nil)
        meter.recordVerified(5)
        meter.recordVerified(3)
        #expect(meter.reading.verifiedBytes == 5)
        meter.enter(.publishing)
        #expect(meter.reading.verifiedBytes == nil)
    }

    @Test func aTransferAfterAVerificationVerifiesNothing() {
        let meter = ProgressMeter(time: ManualTime().source)
        meter.enter(.verifying)
        meter.recordVerified(5)

        meter.begin(at: 5, total: 9)

        #expect(meter.reading.verifiedBytes == nil)
        #expect(meter.reading.receivedBytes == 5)
    }

    @Test func theMeterEndsAtTheFilesSize() async throws {
        try await withBench(Content(size: 2_000_000)) { bench in
            let meter = ProgressMeter(time: bench.time.source)
            #expect(meter.reading.phase == .probing)

            _ = await bench.engine.attempt(try bench.assignment(), checkpointSink: MemoryCheckpointSink(), meter: meter)

            #expect(meter.reading.phase == .publishing)
            #expect(meter.reading.receivedBytes == 2_000_000)
            #expect(meter.reading.totalBytes == 2_000_000)
            #expect(meter.reading.connections == 0)
        }
    }
}
