import Core
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// How the origin marks the end of the body, truly or not (RFC 9112, section 6.3).
struct FramingTests {
    private static let content = Content(size: 200_000)

    private func outcome(
        _ behaviour: Behaviour,
        _ change: Change<DownloadRequest> = .nothing,
        _ check: (Bench, AttemptOutcome) throws -> Void
    ) async throws {
        try await withBench(Self.content, script: [behaviour]) { bench in
            let outcome = await bench.attempt(try bench.assignment("/file.bin", change.apply))
            try check(bench, outcome)
        }
    }

    @Test func anEndThatTheConnectionAloneMarksProvesNothing() async throws {
        try await outcome(.framing(.closeDelimited)) { bench, outcome in
            #expect(outcome.errorCode == .lengthUnverified)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aSizeThatTheClientKnowsProvesTheEnd() async throws {
        try await outcome(.framing(.closeDelimited), .change { $0.expected.sizeBytes = Self.content.size }) {
            bench,
            outcome in
            #expect(bench.holds(outcome.file))
        }
    }

    @Test func aDigestThatTheClientKnowsProvesTheEnd() async throws {
        try await outcome(.framing(.closeDelimited), .change { $0.expected.digests = [Self.content.sha256] }) {
            bench,
            outcome in
            #expect(bench.holds(outcome.file))
        }
    }

    @Test func aClientMayTakeAnUnprovenEnd() async throws {
        try await outcome(.framing(.closeDelimited), .change { $0.acceptsUnverifiedLength = true }) { bench, outcome in
            #expect(bench.holds(outcome.file))
        }
    }

    @Test func aBodyCutBeforeTheKnownSizeIsRefused() async throws {
        let behaviour = Behaviour {
            $0.framing = .closeDelimited
            $0.ending = .cut(after: 150_000, by: .fin)
        }
        try await outcome(behaviour, .change { $0.expected.sizeBytes = Self.content.size }) { bench, outcome in
            #expect(outcome.errorCode == .sizeMismatch)
            #expect(bench.files.isEmpty)
        }
        try await outcome(behaviour, .change { $0.expected.digests = [Self.content.sha256] }) { bench, outcome in
            #expect(outcome.errorCode == .checksumMismatch)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aLengthTooLargeToReadIsNone() async throws {
        let behaviour = Behaviour {
            $0.framing = .closeDelimited
            $0.extraFields = ["Content-Length: 9223372036854775808"]
        }
        try await outcome(behaviour) { bench, outcome in
            #expect(outcome.file == nil)
            #expect(bench.files.isEmpty)
        }
    }

    @Test(arguments: ["-1", "crap", "0x10", "12, 13", "12 13", "12;", "+12", "1.5"])
    func aLengthThatIsNoNumberNeverCompletesAFile(text: String) async throws {
        let behaviour = Behaviour {
            $0.framing = .closeDelimited
            $0.extraFields = ["Content-Length: \(text)"]
        }
        try await outcome(behaviour) { bench, outcome in
            #expect(outcome.failure != nil)
            #expect(bench.files.isEmpty)
        }
    }

    @Test(arguments: [["Content-Length: 200000"], ["Content-Length: 200000, 200000"]])
    func aLengthThatIsRepeatedIsOneLength(fields: [String]) async throws {
        try await outcome(.fields(fields)) { bench, outcome in
            #expect(bench.holds(outcome.file))
        }
    }

    @Test func identityDoesNotExcuseTwoDifferentLengths() async throws {
        try await outcome(.fields(["Content-Length: 100000", "Transfer-Encoding: identity"])) { bench, outcome in
            #expect(outcome.failure != nil)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func twoDifferentLengthsNeverCompleteAFile() async throws {
        try await outcome(.fields(["Content-Length: 100000"])) { bench, outcome in
            #expect(outcome.failure != nil)
            #expect(bench.files.isEmpty)
        }
    }

    /// libcurl does not read the field, so that it takes the end of the connection for that of the body.
    @Test(arguments: [
        "Transfer-Encoding : chunked", "Transfer-Encoding\t: chunked", "Transfer-Encoding:\r\n chunked",
        "Transfer-Encoding:\r\n\tchunked", "Transfer-Encoding: chun ked", "\rTransfer-Encoding: chunked",
        "Transfer-Encoding\r: chunked", "X: y\r\nTransfer-Encoding :chunked",
    ])
    func anUnknownEncodingProvesNoEnd(field: String) async throws {
        let behaviour = Behaviour {
            $0.framing = .closeDelimited
            $0.extraFields = [field]
            $0.ending = .cut(after: 150_000, by: .fin)
        }
        try await outcome(behaviour) { bench, outcome in
            #expect(outcome.file == nil)
            #expect(bench.files.isEmpty)
        }
        // A client's word that any end will do is no word on bytes that were meant to be chunks.
        try await outcome(behaviour, .change { $0.acceptsUnverifiedLength = true }) { bench, outcome in
            #expect(outcome.errorCode == .badResponse)
            #expect(bench.files.isEmpty)
        }
    }

    @Test(arguments: ["X Powered By: someone", "X-Trailing : z", "X-Folded: a\r\n Content-Length: 5", "\u{B}X: y"])
    func aFieldThatDelimitsNothingMayBeMalformed(field: String) async throws {
        try await outcome(.fields([field])) { bench, outcome in
            #expect(bench.holds(outcome.file))
        }
    }

    @Test func aFieldThatLooksLikeAStatusLineIsNone() async throws {
        let fields = ["Content-Disposition: attachment; filename=named.bin", "HTTP/1.1 404 a: b"]
        try await outcome(.fields(fields)) { bench, outcome in
            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.path == "named.bin")
        }
    }

    @Test func aLengthThatNoDiskHoldsFailsAtOnce() async throws {
        let behaviour = Behaviour {
            $0.framing = .closeDelimited
            $0.extraFields = ["Content-Length: 9223372036854775807"]
        }
        try await outcome(behaviour) { bench, outcome in
            #expect(outcome.errorCode == .tooLarge)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(bench.files.isEmpty)
        }
    }

    /// What libcurl calls a bad argument of ours, and other things, is the origin's.
    @Test(arguments: [
        Behaviour.chunks(after: 200_000, then: "0\r\nno colon\r\n\r\n"), .chunks(after: 200_000, then: "zz\r\n"),
        .chunks(after: 200_000, then: "FFFFFFFFFFFFFFFFF\r\n"), .chunks(after: 200_000, then: "-1\r\n"),
        .chunks(after: 200_000, then: "0\r\n" + String(repeating: "x", count: 5000)), .fields(["X\r: y"]),
        .chunks(after: 0, then: "zz\r\n"), .chunks(after: 0, then: "0\r\nno colon\r\n\r\n"),
        .fields(["Transfer-Encoding: a, b, c, d, e, f, g"]),
    ])
    func aHeadOrAChunkThatIsNoneIsABadResponse(behaviour: Behaviour) async throws {
        try await outcome(behaviour) { bench, outcome in
            #expect(outcome.errorCode == .badResponse)
            #expect([.transient(.retries(2)), .transient(.retries(1))].contains(outcome.failure?.failureClass))
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aBodyShorterThanItsLengthIsResumed() async throws {
        let short = Behaviour {
            $0.framing = .wrongContentLength(by: 50_000)
            $0.keepsConnection = false
        }
        try await withBench(Self.content, script: [short, .good]) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(outcomes.first?.file == nil)
            #expect(bench.holds(outcomes.last?.file))
        }
    }

    /// libcurl 8.14 ends the body at the head if the length is 0.
    @Test(arguments: [0, 5, 200_000, 300_000]) func aLengthBesideChunksIsIgnored(_ length: Int) async throws {
        let behaviour = Behaviour {
            $0.framing = .chunked
            $0.extraFields = ["Content-Length: \(length)"]
        }
        try await outcome(behaviour) { bench, outcome in
            #expect(bench.holds(outcome.file))
        }
    }

    @Test func chunksThatEndEarlyAreAskedOnFromWhereTheyEnded() async throws {
        let cut = Behaviour {
            $0.framing = .chunked
            $0.ending = .cut(after: 100_000, by: .fin)
        }
        try await withBench(Self.content, script: [cut, .good]) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(outcomes.first?.madeProgress == true)
            #expect(bench.holds(outcomes.last?.file))
            #expect(bench.origin.requests.last?.value(of: "range") == "bytes=100000-")
        }
    }

    @Test func encodedBytesAreKeptAsTheyCame() async throws {
        try await withBench(Self.content, script: [.claimingGzip]) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcome = await bench.attempt(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.assignment?.download.source.contentEncoding == "gzip")
            #expect(bench.origin.requests.first?.value(of: "accept-encoding") == "identity")
        }
    }

    @Test func encodedBytesAreResumedUnderTheSameEncoding() async throws {
        var cut = Behaviour.claimingGzip
        cut.ending = .cut(after: 100_000, by: .fin)
        try await withBench(Self.content, script: [cut, .claimingGzip]) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    /// libcurl would leave the coding, or take it away and have 40 KB become 8 MiB, as its settings are.
    @Test(arguments: [Behaviour.Framing.closeDelimited, .contentLength, .chunked])
    func anUnrequestedTransferEncodingWritesNoByte(framing: Behaviour.Framing) async throws {
        let behaviour = Behaviour {
            $0.response = .bytes(GzipBomb(byteCount: 8 << 20).bytes)
            $0.framing = framing
            $0.extraFields = ["Transfer-Encoding: gzip"]
        }
        try await outcome(behaviour) { bench, outcome in
            #expect(outcome.errorCode == .badResponse)
            #expect(outcome.failure?.failureClass == .transient(.retries(1)))
            #expect(bench.files.isEmpty)
            #expect(bench.parts.isEmpty)
        }
    }
}
