import Core
import Crypto
import Curl
import Foundation
import HTTPFields
import Linux
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

struct DigestTests {
    private static let content = Content(size: 1_500_000)

    private static func digest(_ algorithm: DigestAlgorithm) -> HTTPFields.Digest {
        let bytes = content.allBytes
        return switch algorithm {
        case .sha256: Digest(algorithm: algorithm, bytes: Array(SHA256.hash(data: bytes)))
        case .sha512: Digest(algorithm: algorithm, bytes: Array(SHA512.hash(data: bytes)))
        case .sha1: Digest(algorithm: algorithm, bytes: Array(Insecure.SHA1.hash(data: bytes)))
        case .md5: Digest(algorithm: algorithm, bytes: Array(Insecure.MD5.hash(data: bytes)))
        }
    }

    @Test(arguments: DigestAlgorithm.allCases)
    func aFileGetsTheDigestOfTheSettings(algorithm: DigestAlgorithm) async throws {
        try await withBench(Self.content, settings: .change { $0.digest = algorithm }) { bench in
            let file = await bench.attempt(try bench.assignment()).file

            #expect(file?.digests == [Self.digest(algorithm)])
        }
    }

    @Test func withoutAnAlgorithmAFileGetsNone() async throws {
        try await withBench(Self.content, settings: .change { $0.digest = nil }) { bench in
            let file = await bench.attempt(try bench.assignment()).file

            #expect(bench.holds(file))
            #expect(file?.digests == [])
        }
    }

    @Test(arguments: DigestAlgorithm.allCases)
    func anExpectedDigestIsComputedAndHeld(algorithm: DigestAlgorithm) async throws {
        try await withBench(Self.content, settings: .change { $0.digest = nil }) { bench in
            let file = await bench.attempt(try bench.assignment { $0.expected.digests = [Self.digest(algorithm)] }).file

            #expect(file?.digests == [Self.digest(algorithm)])
        }
    }

    @Test(arguments: DigestAlgorithm.allCases)
    func anotherDigestThanExpectedFailsTheDownload(algorithm: DigestAlgorithm) async throws {
        try await withBench(Self.content) { bench in
            let wrong = Digest(algorithm: algorithm, bytes: [UInt8](repeating: 1, count: algorithm.byteCount))
            let right = Self.digest(algorithm)
            let checkpointSink = MemoryCheckpointSink()

            let outcome = await bench.attempt(
                try bench.assignment { $0.expected.digests = [wrong, Self.digest(.sha256)] },
                checkpointSink
            )

            #expect(outcome.errorCode == .checksumMismatch)
            #expect(outcome.failure?.failureClass == .startOver(retries: 1))
            let message = try #require(outcome.failure?.error.message)
            #expect(message.contains(wrong.hex) && message.contains(right.hex))
            #expect(checkpointSink.published.isEmpty)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func severalExpectedDigestsAreAllHeld() async throws {
        try await withBench(Self.content) { bench in
            let all = DigestAlgorithm.allCases.map(Self.digest)

            let file = await bench.attempt(try bench.assignment { $0.expected.digests = all }).file

            #expect(file?.digests == all)
        }
    }

    @Test func aResumedFileGetsTheDigestOfTheWhole() async throws {
        try await withBench(Self.content, script: [.dropping(after: 1_200_000), .good]) { bench in
            let all = DigestAlgorithm.allCases.map(Self.digest)

            let outcomes = await bench.attempts(try bench.assignment { $0.expected.digests = all })

            #expect(outcomes.last?.file?.digests == all)
        }
    }
}

/// What the origin states of its file holds as if the client had asked for it.
struct OriginDigestTests {
    private static let content = Content(size: 1_500_000)
    private static let wrong = Digest(algorithm: .sha256, bytes: [UInt8](repeating: 1, count: 32))

    private static func base64(_ digest: HTTPFields.Digest) -> String { Data(digest.bytes).base64EncodedString() }

    static func reprDigest(_ digest: HTTPFields.Digest) -> String {
        "Repr-Digest: \(digest.algorithm.rawValue)=:\(base64(digest)):"
    }

    @Test(arguments: [Int64(1000), 1_500_000], [DigestAlgorithm?.none, .sha256])
    func aRightDigestIsComputedAndKept(size: Int64, algorithm: DigestAlgorithm?) async throws {
        let content = Content(size: size)
        let script = [Behaviour.fields([Self.reprDigest(content.sha256)])]
        try await withBench(content, script: script, settings: .change { $0.digest = algorithm }) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let file = await bench.attempt(try bench.assignment(), checkpointSink).file

            #expect(bench.holds(file))
            #expect(file?.digests == [content.sha256])
            #expect(checkpointSink.assignment?.download.source.digests == [content.sha256])
        }
    }

    @Test(
        arguments: [Int64(1000), 1_500_000],
        [
            reprDigest(wrong), "Digest: SHA-256=\(base64(wrong))", "Content-MD5: AAECAwQFBgcICQoLDA0ODw==",
            "Digest: md5=AAECAwQFBgcICQoLDA0ODw==",
        ]
    )
    func aWrongDigestFailsTheAttempt(size: Int64, field: String) async throws {
        let settings = Change<EngineSettings>.change { $0.digest = nil }
        try await withBench(Content(size: size), script: [.fields([field])], settings: settings) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .checksumMismatch)
            #expect(outcome.failure?.failureClass == .startOver(retries: 1))
            #expect(bench.files.isEmpty)
        }
    }

    @Test func theMessageNamesBothDigests() async throws {
        try await withBench(Self.content, script: [.fields([Self.reprDigest(Self.wrong)])]) { bench in
            let message = await bench.attempt(try bench.assignment()).failure?.error.message ?? ""

            #expect(message.contains(Self.wrong.hex) && message.contains(Self.content.sha256.hex))
        }
    }

    @Test(arguments: ["Repr-Digest: sha-256=:x:", "Digest: nothing", "Content-MD5: 0"])
    func aFieldThatCannotBeReadIsIgnored(field: String) async throws {
        try await withBench(Self.content, script: [.fields([field])]) { bench in
            let file = await bench.attempt(try bench.assignment()).file

            #expect(bench.holds(file))
        }
    }

    @Test func theExpectedDigestOfTheClientOutranksTheOrigin() async throws {
        try await withBench(Self.content, script: [.fields([Self.reprDigest(Self.wrong)])]) { bench in
            let assignment = try bench.assignment { $0.expected.digests = [Self.content.sha256] }

            #expect(bench.holds(await bench.attempt(assignment).file))
        }
    }

    @Test func aDigestProvesABodyWithoutAProvenEnd() async throws {
        let behaviour = Behaviour {
            $0.framing = .closeDelimited
            $0.extraFields = [Self.reprDigest(Self.content.sha256)]
        }
        try await withBench(Self.content, script: [behaviour]) { bench in
            let file = await bench.attempt(try bench.assignment()).file

            #expect(bench.holds(file))
        }
    }

    @Test(arguments: [content.sha256, wrong])
    func theDigestOfTheFirstAnswerHoldsForTheResumedFile(stated: HTTPFields.Digest) async throws {
        let first = Behaviour {
            $0.ending = .cut(after: 1_200_000, by: .fin)
            $0.extraFields = [Self.reprDigest(stated)]
        }
        try await withBench(Self.content, script: [first, .good]) { bench in
            let outcomes = await bench.attempts(try bench.assignment(), atMost: 2)

            #expect(outcomes.count == 2)
            #expect(bench.holds(outcomes.last?.file) == (stated == Self.content.sha256))
            #expect(outcomes.last?.errorCode == (stated == Self.wrong ? .checksumMismatch : nil))
        }
    }

    @Test(arguments: [content.sha256, wrong])
    func aPartMayStateTheDigestOfTheWhole(stated: HTTPFields.Digest) async throws {
        let fields = Behaviour.fields([Self.reprDigest(stated), "Content-MD5: AAECAwQFBgcICQoLDA0ODw=="])
        let settings = Change<EngineSettings>.change { $0.digest = nil }
        try await withBench(Self.content, script: [fields], settings: settings) { bench in
            let outcome = await bench.attempt(try await bench.resumable(at: 1_100_000, total: Self.content.size))

            #expect(outcome.file?.digests == (stated == Self.wrong ? nil : [stated]))
            #expect(outcome.errorCode == (stated == Self.wrong ? .checksumMismatch : nil))
        }
    }
}
