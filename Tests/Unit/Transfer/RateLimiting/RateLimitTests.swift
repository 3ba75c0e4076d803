import Core
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// Downloads that are held to a rate, on a clock that the tests turn.
@Suite(.hangLimit)
struct RateLimitTests {
    private static let content = Content(size: 1 << 20)
    private static let limit: Int64 = 256 << 10

    enum Limit: CaseIterable {
        case server, host, download
    }

    private static func settings(_ limit: Limit, connections: Int = 1) -> Change<EngineSettings> {
        .change { settings in
            settings.connections = connections
            settings.ramp.minimumShare = 64 << 10
            if limit == .server { settings.rateLimit = Self.limit }
            if limit == .host { settings.rateLimitPerHost = Self.limit }
        }
    }

    /// Waits until nothing but the clock is waited for, or all is done.
    private func waitUntilIdle(_ bench: Bench, orUntil isDone: () -> Bool = { false }) async throws {
        var checks = 0
        try await poll("downloads that wait for the clock alone", because: .counter) {
            guard !isDone() else { return true }
            guard let due = bench.engine.limiter.allWaitUntil else { return false }
            checks += 1
            // A timer that is set while the clock is turned rings as much later.
            return due > bench.engine.time.elapsed || checks > 100
        }
    }

    /// Turns the clock until the downloads are done, and looks at each turn at what they have taken.
    ///
    /// It stands still while anything but a limit is waited for, so that it shows what the limits cost, however slow
    /// the machine is.
    private func turn(
        _ bench: Bench,
        _ meters: [ProgressMeter],
        until isDone: Signal,
        count: Int
    ) async throws -> (elapsed: Duration, isWithin: Bool) {
        let began = bench.time.now
        var isWithin = true
        while isDone.count < count {
            try await waitUntilIdle(bench) { isDone.count >= count }
            bench.time.advance(by: .milliseconds(20))
            let taken = meters.map(\.reading.receivedBytes).reduce(0, +)
            let elapsed = (bench.time.now - began).inSeconds
            // A credit of a tenth of a second may have gathered.
            isWithin = isWithin && Double(taken) <= Double(Self.limit) * (elapsed + 0.1) + 16_384
        }
        return (bench.time.now - began, isWithin)
    }

    @Test(arguments: Limit.allCases, [1, 4])
    func asMuchIsTakenAsALimitAllowsAndNoMore(_ limit: Limit, _ connections: Int) async throws {
        let settings = Self.settings(limit, connections: connections)
        try await withBench(Self.content, settings: settings) { bench in
            let isDone = Signal()
            // The limits of server and host are for several downloads together.
            let meters = (0..<(limit == .download ? 1 : 2)).map { _ in ProgressMeter(time: bench.time.source) }
            let assignments = try meters.map { _ in
                try bench.assignment { if limit == .download { $0.rateBytesPerSecond = Self.limit } }
            }
            let rate = bench.engine.rate(of: assignments[0].download)
            let outcomes = zip(assignments, meters).map { assignment, meter in
                Task {
                    let checkpointSink = MemoryCheckpointSink()
                    checkpointSink.assignment = assignment
                    defer { isDone.fire() }
                    return await bench.engine.attempt(
                        assignment,
                        checkpointSink: checkpointSink,
                        meter: meter,
                        rate: rate
                    )
                }
            }
            let (elapsed, isWithin) = try await turn(bench, meters, until: isDone, count: meters.count)

            let ideal = Double(Self.content.size * Int64(meters.count)) / Double(Self.limit)
            #expect(isWithin)
            #expect((0.95 * ideal...1.05 * ideal).contains(elapsed.inSeconds))
            for outcome in outcomes { #expect(bench.holds(await outcome.value.file)) }
        }
    }

    /// First that of the server, then that of the host in its place.
    @Test(arguments: [1, 4])
    func anotherLimitHoldsForWhatIsUnderWay(_ connections: Int) async throws {
        let settings = Self.settings(.server, connections: connections)
        try await withBench(Self.content, settings: settings) { bench in
            let isDone = Signal()
            let assignment = try bench.assignment()
            let meter = ProgressMeter(time: bench.time.source)
            let task = Task {
                defer { isDone.fire() }
                return await bench.engine.attempt(assignment, checkpointSink: MemoryCheckpointSink(), meter: meter)
            }
            let began = bench.time.now
            while bench.time.now - began < .seconds(2) {
                try await waitUntilIdle(bench)
                bench.time.advance(by: .milliseconds(20))
            }
            try await waitUntilIdle(bench)
            let early = Double(meter.reading.receivedBytes)
            let authority = assignment.download.request.url.authority
            bench.engine.setSharedRates(SharedRates(hosts: [authority: Self.limit / 2]), number: 1)
            let (elapsed, _) = try await turn(bench, [meter], until: isDone, count: 1)

            #expect(abs(early - 2 * Double(Self.limit)) <= 0.1 * Double(Self.limit))
            let ideal = (Double(Self.content.size) - early) / Double(Self.limit / 2)
            #expect((0.95 * ideal...1.05 * ideal).contains(elapsed.inSeconds))
            #expect(bench.holds(await task.value.file))
        }
    }

    @Test func aRemovedLimitOfTheServerDelaysNoDownload() async throws {
        try await withBench(Self.content, settings: Self.settings(.server)) { bench in
            let assignment = try bench.assignment()
            let task = Task { await bench.attempt(assignment) }
            try await waitUntilIdle(bench)
            bench.engine.setSharedRates(SharedRates(), number: 1)

            #expect(bench.holds(await task.value.file))
            #expect(bench.time.now == ManualTime().now)
        }
    }

    @Test func aRemovedLimitDelaysNoDownload() async throws {
        try await withBench(Self.content, settings: .change { $0.connections = 1 }) { bench in
            let assignment = try bench.assignment { $0.rateBytesPerSecond = 1024 }
            let rate = bench.engine.rate(of: assignment.download)
            let task = Task {
                await bench.engine.attempt(
                    assignment,
                    checkpointSink: MemoryCheckpointSink(),
                    meter: ProgressMeter(time: bench.time.source),
                    rate: rate
                )
            }
            try await poll("a download that is held back", because: .counter) {
                bench.engine.limiter.isHoldingBack(rate)
            }
            rate.set(nil, revision: assignment.download.revision + 1)

            #expect(bench.holds(await task.value.file))
            #expect(bench.time.now == ManualTime().now)
        }
    }

    @Test func aSmallFileIsHeldToTheLimitToo() async throws {
        try await withBench(Content(size: 10_000)) { bench in
            let assignment = try bench.assignment { $0.rateBytesPerSecond = 1024 }
            let rate = bench.engine.rate(of: assignment.download)
            let meter = ProgressMeter(time: bench.time.source)
            let isDone = Signal()
            let task = Task {
                defer { isDone.fire() }
                return await bench.engine.attempt(
                    assignment,
                    checkpointSink: MemoryCheckpointSink(),
                    meter: meter,
                    rate: rate
                )
            }
            let (elapsed, _) = try await turn(bench, [meter], until: isDone, count: 1)

            #expect(elapsed >= .seconds(9))
            #expect(bench.holds(await task.value.file))
        }
    }
}
