import Core
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// Downloads that come more slowly than the operator lets them.
@Suite(.hangLimit)
struct LowSpeedLimitTests {
    private static let floor = LowSpeedLimit(bytesPerSecond: 20_000, time: .seconds(1))
    private static let drip = Behaviour.pace(.drip(byteCount: 10, every: .milliseconds(10)))

    private static func settings(
        _ change: @escaping (inout EngineSettings) -> Void = { _ in }
    ) -> Change<EngineSettings> {
        .change { settings in
            settings.lowSpeedLimit = floor
            settings.connections = 1
            change(&settings)
        }
    }

    /// Held in memory, and written as it comes.
    @Test(arguments: [Int64(100_000), 2 << 20])
    func aDownloadBelowTheFloorIsGivenUpAndGoneOnWithWhereItWas(size: Int64) async throws {
        let (content, begun) = (Content(size: size), size / 2)
        let stall = Behaviour.pace(.stall(after: begun, until: Signal()))
        try await withBench(content, script: [stall, .good], settings: Self.settings()) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let assignment = try bench.assignment()
            checkpointSink.assignment = assignment
            let meter = ProgressMeter(time: bench.time.source)
            let isOver = Signal()
            let attempt = Task {
                defer { isOver.fire() }
                return await bench.engine.attempt(assignment, checkpointSink: checkpointSink, meter: meter)
            }
            try await poll("the bytes before the stall", because: .counter) { meter.reading.receivedBytes == begun }
            try await bench.time.turn(by: .milliseconds(250), until: "the end") { isOver.count > 0 ? () : nil }

            let slow = await attempt.value
            let durable = checkpointSink.checkpoints.last?.durableEnd ?? 0
            let whole = await bench.attempt(try #require(checkpointSink.assignment), checkpointSink)

            #expect(slow.errorCode == .lowSpeed)
            #expect(slow.failure?.failureClass == .transient(.untilGivenUp))
            #expect(slow.madeProgress)
            #expect(durable == begun)
            #expect(bench.origin.requests.last?.value(of: "range")?.hasPrefix("bytes=\(durable)-") == true)
            #expect(bench.holds(whole.file, content))
        }
    }

    @Test func aLimitOnTheRateIsNoSlowness() async throws {
        let content = Content(size: 45_000)
        // A busy machine may stop this process for seconds, which is slowness too.
        let settings = Self.settings { settings in
            settings.lowSpeedLimit = LowSpeedLimit(bytesPerSecond: 20_000, time: .seconds(10))
            settings.rateLimit = 3_000
        }
        try await withBench(content, settings: settings, runsByItself: true) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file, content))
            #expect(bench.origin.requests.count == 1)
        }
    }

    @Test func aStopIsNoSlowness() async throws {
        let content = Content(size: 2 << 20)
        try await withBench(content, script: [Self.drip], settings: Self.settings(), runsByItself: true) { bench in
            let assignment = try bench.assignment()
            let attempt = Task { await bench.attempt(assignment) }
            await bench.origin.requests(atLeast: 1)
            attempt.cancel()

            #expect(await attempt.value.isStopped)
        }
    }
}

/// Bodies that come more slowly than is waited for.
struct SlowBodyTests {
    private static let content = Content(size: 2 << 20)

    /// By the clock of libcurl, which no test can turn: so the pace is raised to what a test has time for.
    private static func settings(slowSeconds: Int) -> Change<EngineSettings> {
        .change { settings in
            settings.leastPace = 20_000
            settings.slowTime = .seconds(slowSeconds)
            settings.connections = 1
        }
    }

    @Test(.hangLimit)
    func aBodyThatDripsIsGivenUpAndGoneOnWithWhereItWas() async throws {
        let drip = Behaviour.pace(.drip(byteCount: 10, every: .milliseconds(10)))
        try await withBench(
            Self.content,
            script: [drip, .good],
            settings: Self.settings(slowSeconds: 1),
            runsByItself: true
        ) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let slow = await bench.attempt(try bench.assignment(), checkpointSink)
            let durable = checkpointSink.checkpoints.last?.durableEnd ?? 0
            // A busy machine may stop this process for a second, which is slowness too.
            let others = await bench.attempts(try #require(checkpointSink.assignment), checkpointSink)

            #expect(slow.errorCode == .lowSpeed)
            #expect(slow.failure?.failureClass == .transient(.untilGivenUp))
            #expect(durable > 0)
            #expect(bench.origin.requests.dropFirst().first?.value(of: "range")?.hasPrefix("bytes=\(durable)-") == true)
            #expect(bench.holds(others.last?.file))
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test(.hangLimit)
    func aBodyThatIsSlowAndFastEnoughIsWaitedFor() async throws {
        // 200 kB/s for 8 seconds.
        let drip = Behaviour.pace(.drip(byteCount: 4096, every: .milliseconds(20)))
        let settings = Self.settings(slowSeconds: 4)
        try await withBench(Content(size: 1_600_000), script: [drip], settings: settings) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.count == 1)
        }
    }
}

struct LowSpeedDurationTests {
    /// Periods of 5 seconds, of 500 bytes at the least.
    private static let floor = LowSpeedLimit(bytesPerSecond: 100, time: .seconds(20))

    /// - Returns: After how many periods it is over; nil where it is not.
    private func end(_ floor: LowSpeedLimit, _ periods: [Int64?]) -> Int? {
        var slowTime = LowSpeedDuration(floor)
        for (index, bytes) in periods.enumerated() {
            slowTime.record(bytes, in: slowTime.period)
            if slowTime.isOver { return index + 1 }
        }
        return nil
    }

    @Test(
        arguments: [
            ([0, 0, 0, 0], 4), ([499, 499, 499, 499], 4), ([500, 500, 500, 500, 500], nil),
            // One that is fast enough begins anew.
            ([0, 0, 0, 500, 0, 0, 0], nil), ([0, 0, 0, 500, 0, 0, 0, 0], 8),
            // One that was held back counts neither way.
            ([nil, nil, nil, nil, nil, nil], nil), ([0, 0, nil, nil, 0, 0], 6),
        ] as [([Int64?], Int?)]
    )
    func theLimitAppliesAfterEveryPeriodOfItsTimeWasSlow(_ periods: [Int64?], _ end: Int?) {
        #expect(self.end(Self.floor, periods) == end)
    }

    @Test(arguments: [(Duration.zero, 0.25), (.seconds(1), 0.25), (.seconds(10), 2.5), (.seconds(3600), 5)])
    func aPeriodIsAQuarterOfTheTimeAndFiveSecondsAtMost(_ time: Duration, _ seconds: Double) {
        #expect(LowSpeedDuration(LowSpeedLimit(bytesPerSecond: 1, time: time)).period == .seconds(seconds))
    }
}

struct ResponseLatencyTests {
    @Test(
        arguments: [
            ([], nil),
            ([(100, false)], 50),
            ([(100, false), (80, false), (120, false)], 40),
            ([(100, false), (45, true), (60, true)], 45),
            // A connection that was thought to be open was not.
            ([(100, false), (90, true)], 50),
            ([(45, true)], 45),
        ] as [([(milliseconds: Int, isOpen: Bool)], Int?)]
    )
    func aNewConnectionTakesARoundTripMore(seen: [(milliseconds: Int, isOpen: Bool)], roundTrip: Int?) {
        var time = ResponseLatency()

        for (milliseconds, isOpen) in seen { time.record(ResponseLatency(.milliseconds(milliseconds), isOpen: isOpen)) }

        #expect(time.roundTrip == roundTrip.map { .milliseconds($0) })
    }
}
