import Core
import Crypto
import HTTPFields
import Testing
import TestSupport
@testable import Transfer

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
            let keeper = MemoryKeeper()

            let file = await bench.attempt(try bench.assignment(), keeper).file

            #expect(bench.holds(file))
            #expect(file?.sizeBytes == size)
            #expect(file?.digests == [content.sha256])
            #expect(keeper.published == [file])
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
