import Model
import TestSupport
import Testing

@testable import Transfers

/// Which requests go over HTTP/2, and what follows where it fails.
struct HTTP2TransferTests {
    private static let small = Content(size: 1000)
    private static let large = Content(size: 3 << 20)

    private static func withHTTP2(
        _ content: Content = small,
        script: [Behaviour] = [.good],
        speech: TLSServer.Speech = .either,
        settings: Change<EngineSettings> = .nothing,
        _ body: (Bench) async throws -> Void
    ) async throws {
        let tls = TLSServer(trustedAuthority.issue(), speech: speech)
        try await withTLSBench(content, script: script, tls: tls, settings: settings, runsByItself: true, body)
    }

    private static func versions(_ bench: Bench) -> [Bool] { bench.origin.requests.map(\.isHTTP2) }

    @Test func aSmallFileComesOverIt() async throws {
        try await Self.withHTTP2 { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(Self.versions(bench) == [true])
        }
    }

    @Test func aLargeFileGetsConnectionsOfItsOwn() async throws {
        try await Self.withHTTP2(Self.large) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(Self.versions(bench).prefix(2) == [true, false])
            #expect(!Self.versions(bench).dropFirst().contains(true))
        }
    }

    @Test func aBodyOfUnknownLengthDoesToo() async throws {
        try await Self.withHTTP2(script: [.framing(.chunked)]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(Self.versions(bench) == [true, false])
        }
    }

    /// libcurl calls it whole.
    @Test func aStreamThatIsResetWithoutAnErrorIsNoWholeFile() async throws {
        let cut = Behaviour { ($0.http2Fault, $0.framing) = (.reset(0, after: 500), .chunked) }
        try await Self.withHTTP2(script: [cut, .good]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(Self.versions(bench) == [true, false])
        }
    }

    /// Where it does not even speak HTTP/1.1, nothing proves the end.
    @Test func aServerThatSpeaksNothingElseProvesNoLength() async throws {
        let cut = Behaviour { ($0.http2Fault, $0.framing) = (.reset(0, after: 500), .chunked) }
        try await Self.withHTTP2(script: [cut], speech: .http2) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .lengthUnverified)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aServerThatSpeaksNothingElseIsAskedInItAtOnceNextTime() async throws {
        try await Self.withHTTP2(Self.large, speech: .http2) { bench in
            let outcome = await bench.attempt(try bench.assignment())
            let requests = Self.versions(bench)
            let next = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file) && bench.holds(next.file))
            #expect(requests == [true, true])
            #expect(Self.versions(bench) == [true, true, true])
        }
    }

    @Test func aLimitOnTheRateHoldsUpNobodyElse() async throws {
        let limited = Change<EngineSettings>.change { $0.rateLimitPerHost = 1 << 30 }
        try await Self.withHTTP2(settings: limited) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(Self.versions(bench) == [false])
        }
    }

    @Test(arguments: [
        Behaviour { $0.ending = .cut(after: 500, by: .fin) }, Behaviour { $0.http2Fault = .reset(2, after: 500) },
        Behaviour { $0.http2Fault = .reset(0, after: 500) },
    ])
    func theRestOfABodyComesOverHTTP1(_ cut: Behaviour) async throws {
        try await Self.withHTTP2(script: [cut, .good]) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file))
            #expect(Self.versions(bench) == [true, false])
            #expect(bench.origin.requests.last?.value(of: "range")?.hasPrefix("bytes=500-") == true)
        }
    }

    @Test(arguments: [Behaviour.HTTP2Fault.goAway(0), .reset(2, after: -1)])
    func aRequestThatFailsIsMadeAgainAtOnceAndThenOverHTTP1(_ fault: Behaviour.HTTP2Fault) async throws {
        let faulty = Behaviour { $0.http2Fault = fault }
        try await Self.withHTTP2(script: [faulty, faulty, .good]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(Self.versions(bench) == [true, true, false])
            #expect(bench.engine.hosts.snapshots.values.allSatisfy { $0.state == .closed })
        }
    }

    @Test func aHostWhoseHTTP2KeepsFailingIsAskedInHTTP1() async throws {
        let faulty = Behaviour { $0.http2Fault = .reset(2, after: -1) }
        try await Self.withHTTP2(script: [faulty, .good, faulty, .good, faulty, .good]) { bench in
            for _ in 0..<3 {
                _ = await bench.attempt(try bench.assignment())
                bench.time.advance(by: .seconds(5))
            }
            let before = bench.origin.requests.count
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(Self.versions(bench).dropFirst(before) == [false])
        }
    }

    @Test func aHostThatAsksForCalmIsLeftAloneForAMinute() async throws {
        try await Self.withHTTP2(script: [Behaviour { $0.http2Fault = .reset(11, after: -1) }]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.failure?.retryAfter?.delay == .seconds(60))
            #expect(outcome.failure?.authority == "127.0.0.1:\(bench.origin.port)")
            #expect(bench.origin.requests.count == 1)
            #expect(bench.engine.hosts.snapshots.values.map(\.state) == [.frozen])
        }
    }

    @Test func manySmallFilesShareAConnection() async throws {
        let together = Behaviour { $0.answersTogether = 20 }
        try await Self.withHTTP2(script: [.good, together]) { bench in
            _ = await bench.attempt(try bench.assignment())
            await withTaskGroup(of: AttemptOutcome?.self) { group in
                for _ in 0..<20 {
                    group.addTask { try? await bench.attempt(bench.assignment()) }
                }
                for await outcome in group { #expect(bench.holds(outcome?.file)) }
            }

            #expect(bench.origin.connectionCount == 1)
        }
    }
}
