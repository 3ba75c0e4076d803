import Core
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// Connections that are not what they seem when they are used again.
struct ConnectionReuseTests {
    private static let content = Content(size: 1000)

    enum Transport: CaseIterable {
        case clear, tls

        func bench(script: [Behaviour], _ body: (Bench) async throws -> Void) async throws {
            switch self {
            case .clear: try await withBench(content, script: script) { try await body($0) }
            case .tls: try await withTLSBench(content, script: script) { try await body($0) }
            }
        }
    }

    @Test(arguments: Transport.allCases, [Behaviour.Close.fin, .reset])
    func aKeptConnectionThatDiesAtTheRequestCostsNoAttempt(
        _ transport: Transport,
        close: Behaviour.Close
    ) async throws {
        let script = [.good, Behaviour { $0.ending = .closedAtOnce(by: close) }, .good]
        try await transport.bench(script: script) { bench in
            _ = await bench.attempt(try bench.assignment("/first"))

            let outcome = await bench.attempt(try bench.assignment("/second"))

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.connectionCount == 2)
            #expect(bench.origin.requests.count == 3)
        }
    }

    @Test func aConnectionThatEndsWhileItIsKeptCostsNoAttempt() async throws {
        try await withBench(Self.content, script: [.dropping(after: Self.content.size), .good]) { bench in
            _ = await bench.attempt(try bench.assignment("/first"))

            let outcome = await bench.attempt(try bench.assignment("/second"))

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.connectionCount == 2)
        }
    }

    /// A second response in the surplus of the first.
    @Test func bytesAfterABodyAreNotTheNextResponse() async throws {
        let hidden = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"
        let first = Behaviour {
            $0.response = .document("right" + hidden)
            $0.framing = .wrongContentLength(by: Int64(-hidden.utf8.count))
        }
        try await withBench(Self.content, script: [first, .good]) { bench in
            let file = await bench.attempt(try bench.assignment("/first")).file
            let outcomes = await bench.attempts(try bench.assignment("/second"))

            #expect(try bench.text(try #require(file).path) == "right")
            #expect(bench.holds(outcomes.last?.file))
        }
    }

    /// The surplus comes when the connection is idle already.
    @Test(arguments: Transport.allCases)
    func bytesOnAnIdleConnectionAreNotTheNextResponse(_ transport: Transport) async throws {
        let hidden = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"
        let rest = Signal()
        let first = Behaviour {
            $0.response = .document("right" + hidden)
            $0.framing = .wrongContentLength(by: Int64(-hidden.utf8.count))
            $0.pace = .stall(after: 5, until: rest)
        }
        try await transport.bench(script: [first, .good]) { bench in
            _ = await bench.attempt(try bench.assignment("/first"))
            rest.fire()
            await bench.origin.responses.wait()

            let outcome = await bench.attempt(try bench.assignment("/second"))

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.connectionCount == 2)
        }
    }

    @Test func theAnswerToAnotherRequestCostsNoWrongByte() async throws {
        let other = Behaviour {
            $0.subject = .version(1)
            $0.honoursIfRange = false
        }
        let content = Content(size: 300_000)
        try await withBench(content, script: [.dropping(after: 100_000), other, .good]) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcomes.last?.file, content))
            #expect(checkpointSink.restarts == ["etag_changed"])
        }
    }
}

/// Connections that are kept after an answer: how long, and for whom.
@Suite(.hangLimit)
struct IdleConnectionTests {
    private static let content = Content(size: 1000)
    /// A request waits this long for its answer's head before it is given up.
    private static let headTimeout = Duration.seconds(60)

    private static func loops(_ count: Int) -> Change<EngineSettings> { .change { $0.loops = count } }

    /// Several loops of which none closes an idle connection by itself while the test runs.
    private static var patientLoops: Change<EngineSettings> {
        .change { settings in
            settings.loops = 3
            settings.longestIdleness = .seconds(600)
        }
    }

    @Test func aServerOfOneThreadServesDownloadsOneAfterTheOther() async throws {
        let origin = Origin(Self.content, servesOneConnection: true)
        defer { origin.stop() }
        try await withBench(Self.content, settings: Self.patientLoops) { bench in
            let began = ContinuousClock.now
            for number in 0..<6 {
                let outcome = await bench.attempt(try bench.assignment(origin.url("/\(number)")))
                #expect(bench.holds(outcome.file))
            }

            #expect(ContinuousClock.now - began < Self.headTimeout / 2)
            #expect(origin.requests.count == 6)
        }
    }

    @Test func aServerOfOneThreadServesDownloadsThatRunAtOnce() async throws {
        let origin = Origin(Self.content, servesOneConnection: true)
        defer { origin.stop() }
        try await withBench(Self.content, settings: Self.patientLoops) { bench in
            let began = ContinuousClock.now
            let outcomes = try await withThrowingTaskGroup(of: AttemptOutcome.self) { group in
                for number in 0..<6 {
                    let assignment = try bench.assignment(origin.url("/\(number)"))
                    group.addTask { await bench.attempt(assignment) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(outcomes.allSatisfy { bench.holds($0.file) })
            #expect(ContinuousClock.now - began < Self.headTimeout / 2)
        }
    }

    @Test func downloadsOneAfterTheOtherShareAConnectionHoweverManyLoopsThereAre() async throws {
        try await withBench(Self.content, settings: Self.loops(4)) { bench in
            for number in 0..<12 { _ = await bench.attempt(try bench.assignment("/\(number)")) }

            #expect(bench.origin.requests.count == 12)
            #expect(bench.origin.connectionCount == 1)
        }
    }

    @Test func downloadsThatRunAtOnceShareAsManyConnectionsAsThereAreOfThem() async throws {
        let (lanes, files) = (4, 20)
        // More loops than connections that are allowed below: taking turns would open one in each.
        try await withBench(Self.content, settings: Self.loops(16)) { bench in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for lane in 0..<lanes {
                    let assignments = try (0..<files).map { try bench.assignment("/\(lane)-\($0)") }
                    group.addTask { for assignment in assignments { _ = await bench.attempt(assignment) } }
                }
                try await group.waitForAll()
            }

            #expect(bench.origin.requests.count == lanes * files)
            // Two that begin at the same instant may each find the other's connection taken.
            #expect(bench.origin.connectionCount <= 3 * lanes)
        }
    }

    @Test(arguments: [nil, TLSServer(trustedAuthority.issue())])
    func anUnusedConnectionIsClosedSoon(_ server: TLSServer?) async throws {
        let soon = Change<EngineSettings>.change { $0.longestIdleness = .seconds(1) }
        let body: (Bench) async throws -> Void = { bench in
            #expect(bench.holds(await bench.attempt(try bench.assignment()).file))

            let origin = bench.origin
            try await waitUntil("no connection", after: origin.changes) {
                origin.openConnectionCount
            } is: {
                $0 == 0
            }
            #expect(bench.holds(await bench.attempt(try bench.assignment("/again")).file))
        }
        if let server {
            try await withTLSBench(Self.content, tls: server, settings: soon, body)
        } else {
            try await withBench(Self.content, settings: soon, body)
        }
    }
}
