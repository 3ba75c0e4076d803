import Core
import HTTPFields
import TestSupport
import Testing
import TransferRules

@testable import Transfer

/// Which requests go over HTTP/2, and what follows where it fails.
struct HTTP2TransferTests {
    private static let small = Content(size: 1000)
    private static let large = Content(size: 3 << 20)

    private static func withHTTP2(
        _ content: Content = small,
        script: [Behaviour] = [.good],
        offering: TLSServer.OfferedProtocol = .either,
        settings: Change<EngineSettings> = .nothing,
        _ body: (Bench) async throws -> Void
    ) async throws {
        let tls = TLSServer(trustedAuthority.issue(), offering: offering)
        try await withTLSBench(content, script: script, tls: tls, settings: settings, runsByItself: true, body)
    }

    /// Small files until the host is known for them, and one that tries HTTP/2.
    private static func warmUp(_ bench: Bench) async throws {
        bench.origin.serve("/before", small)
        for _ in 0...HTTPVersionMemory.smallFilesToShare {
            let outcome = await bench.attempt(try bench.assignment("/before"))
            try #require(outcome.file != nil)
        }
    }

    /// What was asked for after the small files.
    private static func requests(_ bench: Bench) -> [RecordedRequest] {
        bench.origin.requests.filter { $0.path != "/before" }
    }

    private static func versions(_ bench: Bench) -> [Bool] { requests(bench).map(\.isHTTP2) }

    @Test func theFirstFilesComeOverHTTP1() async throws {
        try await Self.withHTTP2 { bench in
            try await Self.warmUp(bench)

            #expect(bench.origin.requests.map(\.isHTTP2) == [false, false, false, false, true])
        }
    }

    @Test func aHostOfSmallFilesIsAskedOverIt() async throws {
        try await Self.withHTTP2 { bench in
            try await Self.warmUp(bench)
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(Self.versions(bench) == [true])
        }
    }

    @Test func manySmallFilesShareAConnection() async throws {
        let together = Behaviour { $0.responsesTogether = 20 }
        try await Self.withHTTP2(script: [together]) { bench in
            try await Self.warmUp(bench)
            let before = bench.origin.connectionCount
            await withTaskGroup(of: AttemptOutcome?.self) { group in
                for _ in 0..<20 {
                    group.addTask { try? await bench.attempt(bench.assignment()) }
                }
                for await outcome in group { #expect(bench.holds(outcome?.file)) }
            }

            #expect(Self.versions(bench) == Array(repeating: true, count: 20))
            #expect(bench.origin.connectionCount == before)
        }
    }

    @Test func aLargeFileAmongThemIsKeptAndTheNextGetsConnectionsOfItsOwn() async throws {
        try await Self.withHTTP2(Self.large) { bench in
            try await Self.warmUp(bench)
            let outcomes = [await bench.attempt(try bench.assignment()), await bench.attempt(try bench.assignment())]

            for outcome in outcomes { #expect(bench.holds(outcome.file)) }
            #expect(Self.versions(bench).first == true)
            #expect(!Self.versions(bench).dropFirst().contains(true))
        }
    }

    /// libcurl calls a stream whole that was reset without an error.
    @Test(arguments: [
        Behaviour.framing(.chunked), Behaviour { ($0.http2Fault, $0.framing) = (.reset(0, after: 500), .chunked) },
    ])
    func aBodyOfUnknownLengthIsAskedForOverHTTP1(_ first: Behaviour) async throws {
        try await Self.withHTTP2(script: [first, .framing(.chunked)]) { bench in
            try await Self.warmUp(bench)
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(Self.versions(bench) == [true, false])
        }
    }

    /// Where it does not even speak HTTP/1.1, nothing proves the end.
    @Test func aServerThatSpeaksNothingElseProvesNoLength() async throws {
        let cut = Behaviour { ($0.http2Fault, $0.framing) = (.reset(0, after: 500), .chunked) }
        try await Self.withHTTP2(script: [cut], offering: .http2) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .lengthUnverified)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aServerThatSpeaksNothingElseIsAskedInIt() async throws {
        try await Self.withHTTP2(Self.large, offering: .http2) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(!Self.versions(bench).contains(false))
            #expect(bench.engine.hosts.snapshots.values.allSatisfy { $0.state == .available })
        }
    }

    @Test(arguments: [TLSServer.OfferedProtocol.http2OrNoHandshake, .http2OrNoResponse])
    func aServerThatEndsEveryOtherConnectionIsAskedInIt(_ offering: TLSServer.OfferedProtocol) async throws {
        try await Self.withHTTP2(offering: offering) { bench in
            for path in ["/a", "/b"] {
                bench.origin.serve(path, Self.small)
                let outcome = await bench.attempt(try bench.assignment(path))
                #expect(outcome.file != nil, "\(String(describing: outcome.failure))")
            }

            #expect(Self.versions(bench) == [true, true])
            #expect(bench.engine.hosts.needsHTTP2("127.0.0.1:\(bench.origin.port)"))
        }
    }

    @Test func aServerOfHTTP1AloneIsTriedOnceAndKeepsItsVersion() async throws {
        try await Self.withHTTP2(offering: .http1) { bench in
            try await Self.warmUp(bench)
            bench.time.advance(by: .seconds(5))
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(!bench.engine.hosts.needsHTTP2("127.0.0.1:\(bench.origin.port)"))
            #expect(Self.versions(bench) == [false])
        }
    }

    @Test func aRateLimitOfOneDownloadDelaysNoOther() async throws {
        let limited = Change<EngineSettings>.change { $0.rateLimitPerHost = 1 << 30 }
        try await Self.withHTTP2(settings: limited) { bench in
            try await Self.warmUp(bench)

            #expect(!bench.origin.requests.map(\.isHTTP2).contains(true))
        }
    }

    @Test func aPostIsMadeOverHTTP1() async throws {
        try await Self.withHTTP2 { bench in
            try await Self.warmUp(bench)
            let body = RequestCredentials(postBody: Array("a=1".utf8))
            let outcome = await bench.attempt(try bench.assignment(credentials: body))

            #expect(bench.holds(outcome.file))
            #expect(Self.requests(bench).map(\.method) == ["POST"])
            #expect(Self.versions(bench) == [false])
        }
    }

    @Test(arguments: [
        Behaviour { $0.ending = .cut(after: 500, by: .fin) }, Behaviour { $0.http2Fault = .reset(2, after: 500) },
        Behaviour { $0.http2Fault = .reset(0, after: 500) },
    ])
    func theRestOfABodyComesOverHTTP1(_ cut: Behaviour) async throws {
        try await Self.withHTTP2(script: [cut, .good]) { bench in
            try await Self.warmUp(bench)
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file))
            #expect(Self.versions(bench) == [true, false])
            #expect(Self.requests(bench).last?.value(of: "range")?.hasPrefix("bytes=500-") == true)
        }
    }

    @Test(arguments: [Behaviour.HTTP2Fault.goAway(0), .reset(2, after: -1)])
    func aRequestThatFailsIsMadeAgainAtOnceAndThenOverHTTP1(_ fault: Behaviour.HTTP2Fault) async throws {
        let faulty = Behaviour { $0.http2Fault = fault }
        try await Self.withHTTP2(script: [faulty]) { bench in
            try await Self.warmUp(bench)
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            // From version 8, libcurl repeats a request by itself after GOAWAY, up to five times.
            let versions = Self.versions(bench)
            #expect(versions.last == false && (2...12).contains(versions.count { $0 }))
            #expect(versions.count { !$0 } == 1)
            #expect(bench.engine.hosts.snapshots.values.allSatisfy { $0.state == .available })
        }
    }

    @Test func aHostWhoseHTTP2KeepsFailingIsAskedInHTTP1() async throws {
        let faulty = Behaviour { $0.http2Fault = .reset(2, after: -1) }
        try await Self.withHTTP2(script: [faulty, .good, faulty, .good, faulty, .good]) { bench in
            try await Self.warmUp(bench)
            for _ in 0..<3 {
                _ = await bench.attempt(try bench.assignment())
                bench.time.advance(by: .seconds(5))
            }
            let before = Self.versions(bench).count
            let outcome = await bench.attempt(try bench.assignment())

            #expect(bench.holds(outcome.file))
            #expect(Self.versions(bench).dropFirst(before) == [false])
        }
    }

    @Test func aHostThatAsksForCalmIsLeftAloneForAMinute() async throws {
        try await Self.withHTTP2(script: [Behaviour { $0.http2Fault = .reset(11, after: -1) }]) { bench in
            try await Self.warmUp(bench)
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.failure?.retryAfter?.delay == .seconds(60))
            #expect(outcome.failure?.authority == "127.0.0.1:\(bench.origin.port)")
            #expect(Self.versions(bench) == [true])
            #expect(bench.engine.hosts.snapshots.values.map(\.state) == [.throttled])
        }
    }
}
