import Core
import Curl
import Linux
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// What is kept of a body that a server was asked to begin in the middle, when nothing but its word says that it did.
@Suite(.hangLimit)
struct FTPRestartTests {
    private static let content = Content(size: 1_500_000)
    private static let drop = FTPBehaviour { $0.ending = .cut(after: 900_000) }
    private static let ignoring = FTPBehaviour { $0.restart = .ignored }

    private static func withServer(
        _ script: [FTPBehaviour],
        content: Content = content,
        overTLS: Bool = false,
        _ body: (FTPServer, Bench) async throws -> Void
    ) async throws {
        let server = FTPServer(content, script: script, tls: overTLS ? TLSServer(trustedAuthority.issue()) : nil)
        defer { server.stop() }
        try await withTLSBench(content) { try await body(server, $0) }
    }

    private static func restarts(_ server: FTPServer) -> [String] {
        server.sessions.joined().filter { $0.hasPrefix("REST") }
    }

    @Test func aTailThatBreaksOffDoesNotCount() async throws {
        let broken = FTPBehaviour { ($0.restart, $0.ending) = (.ignored, .cut(after: 100_000)) }
        try await Self.withServer([Self.drop, broken, .good]) { server, bench in
            let checkpointSink = MemoryCheckpointSink()
            let outcomes = await bench.attempts(try bench.assignment(server.url()), checkpointSink)

            #expect(outcomes.count == 3 && outcomes[1].madeProgress == false)
            #expect(Self.restarts(server) == ["REST 900000", "REST 900000"])
            #expect(bench.holds(outcomes.last?.file))
        }
    }

    @Test func aTailThatADigestWillVerifyCountsAsItComes() async throws {
        let again = FTPBehaviour { $0.ending = .cut(after: 100_000) }
        try await Self.withServer([Self.drop, again, .good]) { server, bench in
            let assignment = try bench.assignment(server.url()) { $0.expected.digests = [Self.content.sha256] }
            let outcomes = await bench.attempts(assignment)

            #expect(Self.restarts(server) == ["REST 900000", "REST 1000000"])
            #expect(bench.holds(outcomes.last?.file))
        }
    }

    @Test(arguments: [FTPBehaviour.good, ignoring])
    func overTLSAFileWithoutADigestBeginsAnew(_ later: FTPBehaviour) async throws {
        try await Self.withServer([Self.drop, later], overTLS: true) { server, bench in
            let checkpointSink = MemoryCheckpointSink()
            let outcomes = await bench.attempts(try bench.assignment(server.url(scheme: "ftps")), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            #expect(outcomes.count == 2 && checkpointSink.restarts == ["not_resumable"])
            #expect(Self.restarts(server).isEmpty)
        }
    }

    @Test func overTLSADigestLetsItContinueAndVerifiesTheWhole() async throws {
        try await Self.withServer([Self.drop, .good], overTLS: true) { server, bench in
            let assignment = try bench.assignment(server.url(scheme: "ftps")) {
                $0.expected.digests = [Self.content.sha256]
            }
            let outcomes = await bench.attempts(assignment)

            #expect(bench.holds(outcomes.last?.file))
            #expect(Self.restarts(server).first == "REST 900000")
        }
        try await Self.withServer([Self.drop, Self.ignoring], overTLS: true) { server, bench in
            let assignment = try bench.assignment(server.url(scheme: "ftps")) {
                $0.expected.digests = [Self.content.sha256]
            }
            let outcomes = await bench.attempts(assignment, atMost: 3)

            #expect(Self.restarts(server).first == "REST 900000")
            #expect(outcomes.last?.file == nil || bench.holds(outcomes.last?.file))
        }
    }

    @Test func overTLSALengthNamedInPassingProvesNothing() async throws {
        let behaviour = FTPBehaviour { ($0.tellsSize, $0.openingText) = (false, "Here it comes (900000 bytes).") }
        try await Self.withServer([behaviour], overTLS: true) { server, bench in
            let outcome = await bench.attempt(try bench.assignment(server.url(scheme: "ftps")))

            #expect(outcome.errorCode == .lengthUnverified)
            #expect(bench.files.isEmpty)
        }
    }

    @Test(arguments: [0, 1000, 1_500_000] as [Int64])
    func bytesWithoutTheLastWordAreAskedAboutAndDoNotComeAgain(size: Int64) async throws {
        let script = [FTPBehaviour { $0.ending = .reply(426) }, .good]
        try await Self.withServer(script, content: Content(size: size)) { server, bench in
            let checkpointSink = MemoryCheckpointSink()
            let outcomes = await bench.attempts(try bench.assignment(server.url()), checkpointSink)

            #expect(outcomes.count == 2 && outcomes[0].errorCode == .connectFailed)
            #expect(bench.holds(outcomes.last?.file))
            #expect(size == 0 || !server.sessions[1].contains { $0.hasPrefix("RETR") })
        }
    }

    @Test func aLackOfDescriptorsIsRetried() {
        let failure = TransferFailure(CurlError(.outOfResources), stage: .header)

        #expect(failure.error.code == .connectFailed)
        #expect(failure.failureClass == .transient(.untilGivenUp))
    }
}
