import Core
import HTTPFields
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// Several sources of one file.
struct MirrorTests {
    static let content = Content(size: 4 << 20)

    /// Fetches from an origin that stops on the way until a mirror has been asked.
    private func share(
        _ script: [Behaviour],
        requests: Int = 1,
        connections: Int = 2,
        expecting digests: [HTTPFields.Digest] = [],
        check: (Bench, Origin, MemoryCheckpointSink, AttemptOutcome) throws -> Void
    ) async throws {
        let rest = Signal()
        let stalling = [Behaviour.pace(.stall(after: 300_000, until: rest)), .good]
        let mirror = Origin(Self.content, script: script)
        defer { mirror.stop() }
        let settings = Change.sharing(connections)
        try await withBench(Self.content, script: stalling, settings: settings, runsByItself: true) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let assignment = try bench.assignment {
                $0.mirrors = [DownloadURL(normalized: mirror.url("/m.bin"))]
                $0.expected.digests = digests
            }
            async let coming = mirror.requests(atLeast: requests)
            async let attempt = bench.attempt(assignment, checkpointSink)
            _ = await coming
            rest.fire()

            try check(bench, mirror, checkpointSink, await attempt)
        }
    }

    @Test func twoSourcesBringOneFile() async throws {
        try await share([.good]) { bench, mirror, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.digests == [Self.content.sha256])
            #expect(bench.origin.requests.first?.value(of: "range") == nil)
            #expect(mirror.requests.allSatisfy { $0.value(of: "range") != nil })
            #expect(mirror.requests.allSatisfy { $0.value(of: "if-range") == Self.content.etag })
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    /// A mirror of another version, or of nothing at all, is left; the file is the first one's.
    @Test(arguments: [
        Behaviour.version(1), .size(5 << 20), .size(3 << 20), .validators(.etag("\"other\"")), .validators(.absent),
        .ranges(.ignored), .ranges(.shifted(by: 1)), .ranges(.totalled(5)), .page(403), .page(404), .page(410),
        .page(200), .claimingGzip, .redirect(to: "http://127.0.0.1:1/"), .dropping(after: 0, by: .reset),
    ])
    func noByteIsTakenFromAMirrorThatDoesNotAgree(_ behaviour: Behaviour) async throws {
        try await share([behaviour]) { bench, _, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.digests == [Self.content.sha256])
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test(arguments: [
        Behaviour.Validators.etag("\"other\""), .etag("W/\"other\""), .absent, .lastModifiedOnly, .unstable,
    ])
    func withADigestAMirrorMayHaveATagOfItsOwn(_ validators: Behaviour.Validators) async throws {
        let digests = [Self.content.sha256]
        try await share([.validators(validators)], expecting: digests) { bench, mirror, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(mirror.requests.first?.value(of: "range") != nil)
            #expect(mirror.requests.first?.value(of: "if-range") == nil)
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test(arguments: [
        Behaviour.size(5 << 20), .size(3 << 20), .claimingGzip, .fields(["Repr-Digest: sha-256=:\(zeros):"]),
    ])
    func evenWithADigestSizeCodingAndStatedDigestHaveToAgree(_ behaviour: Behaviour) async throws {
        try await share([behaviour], expecting: [Self.content.sha256]) { bench, _, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    /// 32 bytes of nothing, in base64.
    private static let zeros = String(repeating: "A", count: 43) + "="

    @Test func afterALyingMirrorTheFileComesAnewFromOneSource() async throws {
        let lie = Behaviour { ($0.subject, $0.validators) = (.version(1), .etag("\"lie\"")) }
        // The second request to the mirror shows that bytes of the first one are in the file.
        try await share([lie], requests: 2, expecting: [Self.content.sha256]) { bench, _, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.restarts == ["checksum_mismatch"])
            #expect(bench.origin.requests.last?.value(of: "range") == nil)
        }
    }

    @Test func aMirrorThatFallsSilentIsReplaced() async throws {
        let silent = Behaviour.pace(.stall(after: 50_000, until: Signal()))
        try await share([silent]) { bench, _, checkpointSink, outcome in
            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    /// Time passes while both bring nothing alone, so no rate is ever measured. The limit of time for silence is far.
    @Test(.hangLimit)
    func aSlowMirrorIsReplacedHoweverFastTheOthersWere() async throws {
        let rest = Signal()
        let mirror = Origin(Self.content, script: [.pace(.stall(after: 50_000, until: Signal()))])
        defer { mirror.stop() }
        let script = [Behaviour.pace(.stall(after: 300_000, until: rest)), .good]
        let settings = Change<EngineSettings>.change { settings in
            Change.sharing(2).apply(&settings)
            settings.slowTime = .seconds(3600)
        }
        try await withBench(Self.content, script: script, settings: settings) { bench in
            let meter = ProgressMeter(time: bench.time.source)
            let assignment = try bench.assignment { $0.mirrors = [DownloadURL(normalized: mirror.url("/m.bin"))] }
            let isOver = Signal()
            let attempt = Task {
                defer { isOver.fire() }
                return await bench.engine.attempt(assignment, checkpointSink: MemoryCheckpointSink(), meter: meter)
            }
            try await bench.time.turn(by: .milliseconds(1), until: "a request at the mirror") {
                mirror.requests.isEmpty ? nil : ()
            }
            rest.fire()
            // What is left then is not worth another request while the mirror is at work.
            let authority = "127.0.0.1:\(bench.origin.port)"
            try await poll("a mirror that works alone", because: .counter) {
                meter.reading.receivedBytes > Self.content.size - 128 << 10
                    && bench.engine.hosts.snapshot(of: authority).openConnections == 0
            }

            try await bench.time.turn(by: .milliseconds(100), until: "the end") { isOver.count > 0 ? () : nil }
            let outcome = await attempt.value
            #expect(bench.holds(outcome.file), "\(outcome)")
        }
    }

    @Test func theReadingTellsWhatCameFromWhom() async throws {
        let rest = Signal()
        let mirror = Origin(Self.content, script: [.version(1)])
        defer { mirror.stop() }
        let script = [Behaviour.pace(.stall(after: 300_000, until: rest)), .good]
        try await withBench(Self.content, script: script, settings: .sharing(2), runsByItself: true) { bench in
            let meter = ProgressMeter(time: bench.time.source)
            let assignment = try bench.assignment { $0.mirrors = [DownloadURL(normalized: mirror.url("/m.bin"))] }
            async let coming = mirror.requests(atLeast: 1)
            async let attempt = bench.engine.attempt(assignment, checkpointSink: MemoryCheckpointSink(), meter: meter)
            _ = await coming
            rest.fire()
            _ = await attempt

            let sources = meter.reading.sources
            #expect(sources.map(\.url.text) == [bench.origin.url("/file.bin"), mirror.url("/m.bin")])
            #expect(sources.map(\.state) == [.used, .left(.differs)])
            #expect(sources[0].receivedBytes >= Self.content.size)
            #expect(sources[1].receivedBytes == 0)
        }
    }
}

/// A download whose sources are at hosts that others wait for.
struct SharedHostTests {
    private static let content = Content(size: 4 << 20)
    /// Comes to no end of a share while the test lasts.
    private static let slow = Behaviour.pace(.drip(byteCount: 1 << 10, every: .milliseconds(50)))

    @Test func aConnectionThatIsGivenUpIsNotOpenedAgainAtTheSameHost() async throws {
        let settings = Change<EngineSettings>.change { settings in
            settings.connections = 4
            settings.connectionsPerHost = 2
            settings.ramp = .unmeasured
        }
        let mirror = Origin(Self.content, script: [Self.slow])
        defer { mirror.stop() }
        try await withBench(Self.content, script: [Self.slow], settings: settings, runsByItself: true) { bench in
            let hosts = bench.engine.hosts
            let (first, second) = ("127.0.0.1:\(bench.origin.port)", "127.0.0.1:\(mirror.port)")
            func open() -> [Int] { [first, second].map { hosts.snapshot(of: $0).openConnections } }
            let assignment = try bench.assignment { $0.mirrors = [DownloadURL(normalized: mirror.url("/file.bin"))] }
            async let attempt = bench.attempt(assignment)
            try await poll("2 and 2 connections", because: .counter, look: open) { $0 == [2, 2] }
            await bench.origin.requests(atLeast: 2)

            hosts.recordClaim(of: [], leaving: [first])
            try await poll("1 and 2 connections", because: .counter, look: open) { $0 == [1, 2] }
            // Some ten times as often as the engine looks whether it should have more. On a busy machine it may replace
            // a connection that came to rest, so there can be fewer for a while.
            var checks = 0
            var most = 0
            try await poll("no second connection", because: .counter) {
                checks += 1
                most = max(most, open()[0])
                return checks == 500 || most > 1
            }
            #expect(most == 1)

            hosts.recordClaim(of: [], leaving: [])
            try await poll("2 and 2 connections", because: .counter, look: open) { $0 == [2, 2] }
            bench.origin.stop()
            mirror.stop()
            #expect(await attempt.file == nil)
        }
    }
}
