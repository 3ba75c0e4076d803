import Core
import Crypto
import HTTPFields
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// Lengths that are not the body's, and ends that are none (RFC 9112, sections 6.3, 7.1 and 8): no part ever passes for
/// the whole.
struct LengthTests {
    private static let content = Content(size: 200_000)

    private func attempts(
        _ script: [Behaviour],
        _ check: (Bench, [AttemptOutcome]) throws -> Void
    ) async throws {
        try await withBench(Self.content, script: script) { bench in
            try check(bench, await bench.attempts(try bench.assignment()))
        }
    }

    private static func interim(_ framing: Behaviour.Framing, _ fields: [String] = []) -> Behaviour {
        Behaviour {
            $0.interimResponseCount = 1
            $0.interimFields = ["Content-Length: 100000"]
            $0.framing = framing
            $0.extraFields = fields
        }
    }

    @Test(arguments: [Behaviour.Framing.contentLength, .chunked])
    func theLengthOfAnInterimResponseIsReplacedByTheAnswers(framing: Behaviour.Framing) async throws {
        try await attempts([Self.interim(framing)]) { bench, outcomes in
            #expect(bench.holds(outcomes.last?.file))
        }
    }

    @Test(arguments: [
        interim(.closeDelimited), interim(.closeDelimited, ["Content-Length: 99999999999999999999"]),
        interim(.closeDelimited, ["Content-Length: 9223372036854775808"]),
    ])
    func theLengthOfAnInterimResponseIsNotThatOfAnAnswerWithoutOne(behaviour: Behaviour) async throws {
        try await attempts([behaviour, .good]) { bench, outcomes in
            #expect(outcomes.first?.file == nil)
            #expect(outcomes.last?.file == nil || bench.holds(outcomes.last?.file))
        }
    }

    @Test func theLengthOfAChallengeIsNotThatOfTheAnswerToItsProof() async throws {
        let challenge = Behaviour {
            $0.response = .page(status: 401)
            $0.extraFields = [#"WWW-Authenticate: Digest realm="deep", nonce="n1", algorithm=MD5"#]
        }
        let credentials = RequestCredentials(authentication: .digest(username: "me", password: "secret"))
        try await withBench(Self.content, script: [challenge, .framing(.closeDelimited)]) { bench in
            let outcome = await bench.attempt(try bench.assignment(credentials: credentials))

            #expect(outcome.errorCode == .lengthUnverified)
            #expect(bench.files.isEmpty)
        }
    }

    @Test(arguments: [
        "", "zz\r\n", "\r\n", "-5\r\nhello\r\n", "5", "0", "0\r\n", "0\r\nX-Trailer: y\r\n", "10000000000000000\r\n",
        "8000000000000000\r\n", "FFFFFFFFFFFFFFFF\r\n", "7FFFFFFFFFFFFFFF\r\n",
    ])
    func chunksThatBreakOffAreGoneOnWith(text: String) async throws {
        try await attempts([.chunks(after: 100_000, then: text), .good]) { bench, outcomes in
            #expect(outcomes.count == 2)
            #expect(outcomes.first?.madeProgress == true)
            #expect(bench.holds(outcomes.last?.file))
            #expect(bench.origin.requests.last?.value(of: "range") == "bytes=100000-")
        }
    }

    @Test func withoutTheLastChunkNoFileIsWhole() async throws {
        try await attempts([.chunks(after: Self.content.size, then: ""), .good]) { bench, outcomes in
            #expect(outcomes.first?.file == nil)
            #expect(bench.holds(outcomes.last?.file))
        }
    }

    @Test func theLengthBesideChunksIsNotGoneBy() async throws {
        let cut = Behaviour {
            $0.framing = .chunked
            $0.extraFields = ["Content-Length: 150000"]
            $0.ending = .cut(after: 100_000, by: .fin)
        }
        try await attempts([cut, .good]) { bench, outcomes in
            #expect(bench.holds(outcomes.last?.file))
            #expect(bench.origin.requests.last?.value(of: "range") == "bytes=100000-")
        }
    }

    @Test func aPartOfAnUnknownTotalCompletesNoFile() async throws {
        try await attempts([.chunks(after: 100_000, then: ""), .ranges(.totalled(nil)), .good]) { bench, outcomes in
            #expect(bench.holds(outcomes.last?.file))
            #expect(bench.origin.requests.map { $0.value(of: "range") } == [nil, "bytes=100000-", nil])
        }
    }
}

/// Sizes around every buffer that a body goes through.
struct SizeTests {
    private static let window: Int64 = 256 << 10

    static let sizes: [Int64] = [
        0, 1, 2, 16 << 10, (16 << 10) + 1, window - 1, window, window + 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1,
        (1 << 20) + window - 1, (1 << 20) + window, (1 << 20) + window + 1, (2 << 20) + 3, 5 << 20,
    ]

    @Test(arguments: sizes)
    func aFileOfAnySizeComesWholeWithItsDigest(size: Int64) async throws {
        let content = Content(size: size)
        try await withBench(content) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let file = await bench.attempt(try bench.assignment(), checkpointSink).file

            #expect(bench.holds(file))
            #expect(file?.sizeBytes == size)
            #expect(file?.digests == [content.sha256])
            #expect(checkpointSink.published == [file])
            #expect(bench.parts.isEmpty)
            #expect(bench.origin.requests.count == 1)
        }
    }

    @Test(arguments: sizes)
    func aChunkedFileOfAnySizeComesWhole(size: Int64) async throws {
        let content = Content(size: size)
        try await withBench(content, script: [.framing(.chunked)]) { bench in
            let file = await bench.attempt(try bench.assignment()).file

            #expect(bench.holds(file))
            #expect(file?.digests == [content.sha256])
        }
    }

    @Test func theFileIsTheRequestedOneAtItsOwnPath() async throws {
        try await withBench { bench in
            let file = await bench.attempt(try bench.assignment("/a/b%20c.iso?d=e")).file

            #expect(file?.path == "b c.iso")
            #expect(bench.files == ["b c.iso"])
        }
    }
}

extension Content {
    var sha256: HTTPFields.Digest {
        HTTPFields.Digest(algorithm: .sha256, bytes: Array(SHA256.hash(data: allBytes)))
    }
}

/// A file that its keeper has no room for.
struct QuotaTests {
    @Test(arguments: [1000, 1001] as [Int64])
    func aSizeAboveTheQuotaIsNeitherFetchedNorTriedElsewhere(_ largest: Int64) async throws {
        let content = Content(size: 1001)
        let mirror = Origin(content)
        defer { mirror.stop() }
        try await withBench(content) { bench in
            let checkpointSink = MemoryCheckpointSink(largest: largest)
            let assignment = try bench.assignment { $0.mirrors = [DownloadURL(normalized: mirror.url())] }
            let outcome = await bench.attempt(assignment, checkpointSink)

            #expect(bench.holds(outcome.file) == (largest == 1001))
            guard largest == 1000 else { return }
            #expect(outcome.errorCode == .quotaExceeded && checkpointSink.entries.isEmpty)
            #expect(bench.origin.requests.count == 1 && mirror.requests.isEmpty)
        }
    }

    @Test func aFileKnownToBeTooLargeIsNotRequested() async throws {
        try await withBench(Content(size: 1001)) { bench in
            let assignment = try bench.assignment { $0.expected.sizeBytes = 1001 }
            let outcome = await bench.attempt(assignment, MemoryCheckpointSink(largest: 1000))

            #expect(outcome.errorCode == .quotaExceeded)
            #expect(bench.origin.requests.isEmpty)
        }
    }
}
