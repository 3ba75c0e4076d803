import Core
import Crypto
import HTTPFields
import Testing
import TestSupport
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
            let keeper = MemoryKeeper()

            let outcome = await bench.attempt(
                try bench.assignment { $0.expected.digests = [wrong, Self.digest(.sha256)] },
                keeper
            )

            #expect(outcome.errorCode == .checksumMismatch)
            #expect(outcome.failure?.failureClass == .startOver(tries: 1))
            let message = try #require(outcome.failure?.error.message)
            #expect(message.contains(wrong.hex) && message.contains(right.hex))
            #expect(keeper.published.isEmpty)
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
