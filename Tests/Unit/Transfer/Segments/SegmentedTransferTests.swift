import Core
import Linux
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// Several connections into one part file.
struct SegmentedTransferTests {
    private static let content = Content(size: 4 << 20)
    /// How far the first answer comes before it waits for the others.
    private static let head: Int64 = 300_000

    /// Brings a little all the time, and never comes to an end of its share.
    private static let slow = Behaviour.pace(.drip(byteCount: 1 << 10, every: .milliseconds(50)))

    /// Fetches from an origin whose first answer stops until a number of requests has come.
    private func fetch(
        _ others: [Behaviour],
        requests: Int = 2,
        connections: Int = 4,
        refusals: Int = 0,
        then check: (Bench, MemoryCheckpointSink, AttemptOutcome) throws -> Void
    ) async throws {
        let rest = Signal()
        let script = [.pace(.stall(after: Self.head, until: rest))] + others
        let sharing = Change.sharing(connections)
        try await withBench(Self.content, script: script, settings: sharing, runsByItself: true) { bench in
            let checkpointSink = MemoryCheckpointSink()
            async let coming = bench.origin.requests(atLeast: requests)
            let assignment = try bench.assignment()
            async let attempt = bench.attempt(assignment, checkpointSink)
            _ = await coming
            try await Self.waitForRefusals(refusals, checkpointSink)
            rest.fire()

            try check(bench, checkpointSink, await attempt)
        }
    }

    /// Waits until a host is known to refuse ranges. The first connection may else bring the whole file before.
    private static func waitForRefusals(_ count: Int, _ checkpointSink: MemoryCheckpointSink) async throws {
        try await poll("a host that refuses ranges", because: .counter) {
            checkpointSink.refusedHosts.count
        } is: {
            $0 >= count
        }
    }

    @Test func aFileIsFetchedOverSeveralConnections() async throws {
        try await fetch([.good], requests: 4) { bench, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.digests == [Self.content.sha256])
            #expect(bench.origin.requests.dropFirst().allSatisfy { $0.value(of: "range") != nil })
            #expect(bench.origin.requests.dropFirst().allSatisfy { $0.value(of: "if-range") == Self.content.etag })
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test func noConnectionIsOpenedThatTheHostWouldNotBear() async throws {
        let settings = Change<EngineSettings>.change { settings in
            Change.sharing(4).apply(&settings)
            settings.connectionsPerHost = 1
        }
        try await withBench(Self.content, settings: settings, runsByItself: true) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.count == 1)
            #expect(bench.engine.hosts.snapshots.isEmpty)
        }
    }

    @Test func aDownloadOfOneConnectionOpensNoOther() async throws {
        try await withBench(Self.content, settings: .sharing(4), runsByItself: true) { bench in
            let outcome = await bench.attempt(try bench.assignment { $0.connections = 1 })

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.count == 1)
        }
    }

    /// The setting is for those that name no number.
    @Test func aDownloadMayAskForMoreConnectionsThanTheSettingGivesEach() async throws {
        let rest = Signal()
        let script = [Behaviour.pace(.stall(after: Self.head, until: rest)), .good]
        try await withBench(Self.content, script: script, settings: .sharing(1), runsByItself: true) { bench in
            async let coming = bench.origin.requests(atLeast: 4)
            let assignment = try bench.assignment { $0.connections = 4 }
            async let attempt = bench.attempt(assignment)
            _ = await coming
            rest.fire()

            #expect(bench.holds(await attempt.file))
        }
    }

    @Test(arguments: [(nil, 8, 32, 8), (16, 8, 32, 16), (1, 8, 32, 1), (16, 8, 12, 12), (nil, 8, 4, 4)])
    func aDownloadHasTheConnectionsItAsksForUpToTheCeiling(requested: Int?, usual: Int, most: Int, expected: Int) {
        let url = DownloadURL(text: "http://a.example/", scheme: "http", host: "a.example", port: 80, path: "/")
        var request = DownloadRequest(url: url)
        request.connections = requested

        #expect(EngineSettings(connections: usual, maxConnections: most).connections(of: request) == expected)
    }

    /// Whatever the answers to ranges are, the first connection goes on and brings the file alone.
    @Test(arguments: [
        Behaviour.ranges(.ignored), .page(403), .page(404), .page(429), .page(503), .unavailable(retryAfter: "30"),
        .version(1), .validators(.unstable), .ranges(.wholeAsPartial), .ranges(.labelled(nil)), .ranges(.multipart),
        .ranges(.unsatisfiable(nil)), .ranges(.totalled(5)), .ranges(.shifted(by: 1)), .claimingGzip, .page(200),
        .redirect(to: "http://127.0.0.1:1/"), .dropping(after: 0), .dropping(after: 0, by: .reset),
    ])
    func anOriginThatRefusesMoreIsLeftWithOne(refusal: Behaviour) async throws {
        try await fetch([refusal]) { bench, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.digests == [Self.content.sha256])
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    /// The status says nothing of when more would be accepted, so the next download of the host asks for no more.
    @Test func aHostThatForbidsMoreIsAskedOverAsManyByTheNextDownload() async throws {
        let rest = Signal()
        let script = [.pace(.stall(after: Self.head, until: rest)), Behaviour.page(403), .good]
        try await withBench(Self.content, script: script, settings: .sharing(4)) { bench in
            let outcome = try await bench.attempt(untilLimit: 1) { rest.fire() }
            #expect(bench.holds(outcome.file))
            let before = bench.origin.requests.count

            let next = await bench.attempt(try bench.assignment("/next"))

            #expect(bench.holds(next.file))
            #expect(bench.origin.requests.count == before + 1)
        }
    }

    /// It worked for the connection before.
    @Test func aLinkThatExpiresIsNoRefusalOfMoreConnections() async throws {
        let rest = Signal()
        let expired = Behaviour.page(403)
        let script = [.pace(.stall(after: Self.head, until: rest)), Behaviour.good, expired, expired, expired]
        try await withBench(Self.content, script: script, settings: .sharing(2), runsByItself: true) { bench in
            async let coming = bench.origin.requests(atLeast: 3)
            let assignment = try bench.assignment()
            async let attempt = bench.attempt(assignment)
            _ = await coming
            rest.fire()
            _ = await attempt

            let snapshot = bench.engine.hosts.snapshot(of: "127.0.0.1:\(bench.origin.port)")
            #expect(snapshot.connectionsPerDownload == nil)
        }
    }

    /// Without a measurement: on a busy machine a connection that drips shows no growth, and no fourth one is opened.
    @Test func anOriginThatForbidsTheFourthConnectionIsAskedOverThree() async throws {
        let rest = Signal()
        let settings = Change<EngineSettings>.change { settings in
            settings.connections = 4
            settings.ramp = .unmeasured
        }
        let script = [.pace(.stall(after: Self.head, until: rest)), Self.slow, Self.slow, .page(403), .good]
        try await withBench(Self.content, script: script, settings: settings) { bench in
            let outcome = try await bench.attempt(untilLimit: 3) { rest.fire() }

            #expect(bench.holds(outcome.file))
        }
    }

    /// A request that was given up says nothing about the URL, so the next one is still the connection's first.
    @Test func aRefusalAfterARequestThatWasNotAnsweredIsOneOfMoreConnections() async throws {
        let script = [Self.slow, .pace(.stallBeforeHead(until: Signal())), .page(403)]
        try await withBench(Self.content, script: script, settings: .sharing(2)) { bench in
            let assignment = try bench.assignment()
            let attempt = Task { await bench.attempt(assignment) }
            try await bench.turn(by: .milliseconds(10), untilLimit: 1)
            attempt.cancel()

            #expect(await attempt.value.file == nil)
        }
    }

    @Test func twoDownloadsOfOneHostShareItsConnections() async throws {
        let rest = Signal()
        let settings = Change<EngineSettings>.change { settings in
            settings.connections = 4
            settings.connectionsPerHost = 4
            settings.ramp = .unmeasured
        }
        try await withBench(Self.content, script: [Self.slow], settings: settings, runsByItself: true) { bench in
            let (hosts, authority) = (bench.engine.hosts, "127.0.0.1:\(bench.origin.port)")
            bench.origin.serve("/next", Self.content, script: [.pace(.stall(after: Self.head, until: rest)), .good])
            let (first, second) = (try bench.assignment(), try bench.assignment("/next"))
            async let slow = bench.attempt(first)
            try await poll("4 connections", because: .counter) {
                hosts.snapshot(of: authority).openConnections
            } is: {
                $0 == 4
            }

            // Turned away at first, until the other gives way, and then again for its second one.
            async let quick = poll("a file", because: .counter) {
                await bench.attempt(second).file
            } is: {
                $0 != nil
            }
            try await waitUntil("2 requests of it", after: bench.origin.changes) {
                bench.origin.requests.count { $0.path == "/next" }
            } is: {
                $0 > 1
            }
            #expect(hosts.snapshot(of: authority).openConnections <= 4)
            rest.fire()

            #expect(bench.holds(try await quick))
            bench.origin.stop()
            #expect(await slow.file == nil)
        }
    }

    /// One that ignores a range is asked under the other form of `If-Range` first.
    @Test(arguments: [(Behaviour.ranges(.ignored), 3), (.ranges(.multipart), 2), (.ranges(.labelled(nil)), 2)])
    func aHostThatSpoilsRangesIsRemembered(spoilt: Behaviour, requests: Int) async throws {
        try await fetch([spoilt], refusals: 1) { bench, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.refusedHosts.count == 1)
            #expect(bench.origin.requests.count == requests)
        }
    }

    @Test func aWholeFileWaitsForNoAnswer() async throws {
        let rest = Signal()
        let script = [
            Behaviour.pace(.stall(after: Self.head, until: rest)), .pace(.stallBeforeHead(until: Signal())),
        ]
        try await withBench(Self.content, script: script, settings: .sharing(4), runsByItself: true) { bench in
            let assignment = try bench.assignment()
            let log = RequestLog(assignment.download, after: 0, time: bench.time.source)
            let checkpointSink = MemoryCheckpointSink()
            checkpointSink.assignment = assignment
            async let coming = bench.origin.requests(atLeast: 2)
            async let attempt = bench.engine.attempt(
                assignment,
                checkpointSink: checkpointSink,
                meter: ProgressMeter(time: bench.time.source),
                log: log
            )
            _ = await coming
            rest.fire()

            #expect(bench.holds(await attempt.file))
            #expect(log.removePending().dropFirst().allSatisfy { $0.end?.error != "timeout" })
        }
    }

    @Test func aHostIsRememberedByTheNameThatItIsAskedBy() async throws {
        let rest = Signal()
        let elsewhere = Origin(
            Self.content,
            script: [.pace(.stall(after: Self.head, until: rest)), .ranges(.ignored)]
        )
        defer { elsewhere.stop() }
        let script = [Behaviour.redirect(to: elsewhere.url("/file.bin"))]
        try await withBench(Self.content, script: script, settings: .sharing(4), runsByItself: true) { bench in
            let checkpointSink = MemoryCheckpointSink()
            async let coming = elsewhere.requests(atLeast: 2)
            let assignment = try bench.assignment()
            async let attempt = bench.attempt(assignment, checkpointSink)
            _ = await coming
            try await Self.waitForRefusals(1, checkpointSink)
            rest.fire()

            #expect(bench.holds(await attempt.file))
            #expect(checkpointSink.refusedHosts == ["127.0.0.1:\(bench.origin.port)"])
        }
    }

    @Test(arguments: [Behaviour.Close.fin, .reset])
    func theRestOfABrokenConnectionIsFetchedByOthers(close: Behaviour.Close) async throws {
        try await fetch([.dropping(after: 100_000, by: close), .good], requests: 3) { bench, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.digests == [Self.content.sha256])
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test func shortRangesAreAskedOn() async throws {
        try await fetch([.ranges(.shortened(to: 100_000))], requests: 5) { bench, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test func aConnectionThatFallsSilentIsReplaced() async throws {
        let silent = Behaviour.pace(.stall(after: 50_000, until: Signal()))
        try await fetch([silent, .good], requests: 3) { bench, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.digests == [Self.content.sha256])
        }
    }

    /// The limits of time of the request itself are far longer.
    @Test(.hangLimit)
    func aConnectionThatIsNotAnsweredIsAskedAnew() async throws {
        let drip = Behaviour.pace(.drip(byteCount: 16 << 10, every: .milliseconds(50)))
        let settings = Change<EngineSettings>.change { settings in
            Change.sharing(3).apply(&settings)
            settings.slowTime = .seconds(3600)
        }
        let script = [drip, drip, .pace(.stallBeforeHead(until: Signal())), .good]
        try await withBench(Self.content, script: script, settings: settings, runsByItself: true) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
        }
    }

    @Test func bytesOfSeveralConnectionsAreNotFetchedAgain() async throws {
        let never = Signal()
        let stalls = [Self.head, 700_000].map { Behaviour.pace(.stall(after: $0, until: never)) }
        let sharing = Change.sharing(2)
        try await withBench(Self.content, script: stalls + [.good], settings: sharing, runsByItself: true) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let assignment = try bench.assignment()
            let task = Task { await bench.attempt(assignment, checkpointSink) }
            try await waitUntil("2 segments", after: checkpointSink.changes) {
                checkpointSink.checkpoints
            } is: {
                $0.contains { $0.segments.count > 1 }
            }
            task.cancel()
            #expect(await task.value.isStopped)
            let segments = try #require(checkpointSink.assignment).segments
            let before = bench.origin.requests.count

            let outcome = await bench.attempt(try #require(checkpointSink.assignment), checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.digests == [Self.content.sha256])
            let requested = bench.origin.requests[before...].compactMap { $0.value(of: "range") }
            #expect(requested.first?.hasPrefix("bytes=\(segments[0].durableEnd)-") == true)
            #expect(requested.count == bench.origin.requests.count - before)
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test func aLostFenceStopsEveryConnection() async throws {
        let checkpointSink = MemoryCheckpointSink { call, _ in call == .checkpoint ? .lost : .record }
        let script = [Behaviour.pace(.stall(after: 1_000_000, until: Signal()))]
        let sharing = Change.sharing(4)
        try await withBench(Self.content, script: script, settings: sharing, runsByItself: true) { bench in
            let outcome = await bench.attempt(try bench.assignment(), checkpointSink)

            #expect(outcome.isLost)
            #expect(bench.files.isEmpty)
        }
    }
}

extension Bench {
    /// Makes an attempt until the host is known to accept `limit` connections of a download, and then to its end.
    ///
    /// Time passes only in small steps: on a busy machine an answer takes seconds, and its request would be given up.
    ///
    /// - Parameter act: What happens once the limit is known.
    fileprivate func attempt(untilLimit limit: Int, then act: () -> Void) async throws -> AttemptOutcome {
        let assignment = try assignment()
        let isOver = Signal()
        let attempt = Task {
            defer { isOver.fire() }
            return await self.attempt(assignment)
        }
        try await turn(by: .milliseconds(1), untilLimit: limit)
        act()
        try await time.turn(by: .milliseconds(100), until: "the end") { isOver.count > 0 ? () : nil }
        return await attempt.value
    }

    fileprivate func turn(by step: Duration, untilLimit limit: Int) async throws {
        try await time.turn(by: step, until: "a limit of \(limit)") {
            engine.hosts.snapshot(of: "127.0.0.1:\(origin.port)").connectionsPerDownload == limit ? () : nil
        }
    }
}
