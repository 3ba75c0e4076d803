import Core
import Linux
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// Whoever looks at a download while its bytes are verified sees how far that is.
struct VerificationTests {
    private static let block: Int64 = 4 << 20
    private static var plain: Change<EngineSettings> {
        .change {
            $0.connections = 1
            $0.digest = nil
        }
    }

    @Test func theFinalDigestShowsItsProgress() async throws {
        // Not worth hashing on the way, and more than is held in memory.
        let content = Content(size: 1_000_000)
        try await withBench(content) { bench in
            let (outcome, verifiedBytes, meter) = await verifications(of: try bench.assignment(), bench)

            #expect(bench.holds(outcome.file))
            #expect(verifiedBytes.drop { $0 == 0 } == [content.size])
            #expect(meter.reading.verifiedBytes == nil)
        }
    }

    @Test func aWholeFileThatAnEarlierProcessBroughtShowsItToo() async throws {
        let content = Content(size: 20 << 20)
        try await withBench(content) { bench in
            var assignment = try await bench.resumable(at: content.size, total: content.size)
            // Without a comparison before, which shows its progress too.
            assignment.blocks = []

            let (outcome, verifiedBytes, meter) = await verifications(of: assignment, bench)

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.isEmpty)
            #expect(verifiedBytes.last == content.size)
            #expect(verifiedBytes.allSatisfy { [0, 8 << 20, 16 << 20, content.size].contains($0) })
            #expect(verifiedBytes == verifiedBytes.sorted())
            #expect(meter.reading.receivedBytes == content.size)
        }
    }

    @Test func withoutADigestNothingIsVerified() async throws {
        try await withBench(Content(size: 1_000_000), settings: Self.plain) { bench in
            let (outcome, verifiedBytes, _) = await verifications(of: try bench.assignment(), bench)

            #expect(bench.holds(outcome.file))
            #expect(verifiedBytes == [])
        }
    }

    @Test(arguments: [false, true])
    func theComparisonOfBlocksShowsItsProgress(isDamaged: Bool) async throws {
        let durable = 9 * Self.block
        let content = Content(size: durable + 1000)
        try await withBench(content, settings: Self.plain) { bench in
            let assignment = try await bench.resumable(at: durable, total: content.size)
            if isDamaged { bench.folder.damage("parts/\(assignment.part.text)", at: 1) }

            let (outcome, verifiedBytes, meter) = await verifications(of: assignment, bench)

            #expect(bench.holds(outcome.file))
            #expect(!verifiedBytes.isEmpty)
            #expect(verifiedBytes.allSatisfy { [0, 8 * Self.block, durable].contains($0) })
            #expect(verifiedBytes == verifiedBytes.sorted())
            #expect(meter.reading.verifiedBytes == nil)
        }
    }

    @Test func everyBlockThatIsComparedCounts() async throws {
        let content = Content(size: 9 * Self.block + 1000)
        let folder = TemporaryFolder()
        let file = try Directory(path: folder.path).openFile(named: "f", access: .createIfMissing)
        try file.write(content.allBytes, at: 0)
        let hasher = BlockHasher(file: file, pool: BlockingPool(threads: 1))
        var reports: [Int64] = []
        var blocks = content.blocks
        blocks[3] = BlockDigest(start: blocks[3].start, end: blocks[3].end, value: ~blocks[3].value)

        let damaged = try await hasher.damaged(among: blocks) { reports.append($0) }

        #expect(damaged == [blocks[3]])
        #expect(reports == [0, 8 * Self.block, content.size])
    }

    @Test func theNextSourceIsAskedWithoutAVerification() async throws {
        let content = Content(size: 1_000_000)
        let response = Signal()
        let mirror = Origin(content, script: [.pace(.stallBeforeHead(until: response))])
        defer { mirror.stop() }
        try await withBench(content, script: [.version(1)], settings: Self.plain) { bench in
            let meter = ProgressMeter(time: bench.time.source)
            let assignment = try bench.assignment {
                $0.mirrors = [DownloadURL(normalized: mirror.url("/m.bin"))]
                $0.expected.digests = [content.sha256]
            }
            async let attempt = bench.engine.attempt(assignment, checkpointSink: MemoryCheckpointSink(), meter: meter)

            await mirror.requests(atLeast: 1)
            #expect(meter.reading.phase == .probing)
            #expect(meter.reading.verifiedBytes == nil)
            response.fire()
            #expect(bench.holds(await attempt.file))
        }
    }
}
