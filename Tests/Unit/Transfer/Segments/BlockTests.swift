import Core
import Linux
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// What is on the disk is compared with what was written there, and what is not the same is fetched again.
struct BlockTests {
    private static let block: Int64 = 4 << 20
    private static let content = Content(size: 4 * block + 1000)
    private static let blocks = content.blocks
    /// The order of the requests is that of the bytes then.
    private static var one: Change<EngineSettings> {
        .change {
            $0.connections = 1
            $0.digest = nil
        }
    }

    /// Resumes at `durable` bytes with the digests of all of them, after `damage` was done to the part.
    private func resume(
        at durable: Int64 = 3 * block,
        script: [Behaviour] = [.good],
        settings: Change<EngineSettings> = one,
        _ damage: (Bench, inout Assignment) throws -> Void,
        _ check: (Bench, MemoryCheckpointSink) async throws -> Void
    ) async throws {
        try await withBench(Self.content, script: script, settings: settings) { bench in
            let checkpointSink = MemoryCheckpointSink()
            var assignment = try await bench.resumable(at: durable, total: Self.content.size)
            try damage(bench, &assignment)

            let outcome = await bench.attempt(assignment, checkpointSink)

            #expect(bench.holds(outcome.file))
            try await check(bench, checkpointSink)
        }
    }

    private func ranges(_ bench: Bench) -> [String?] { bench.origin.requests.map { $0.value(of: "range") } }

    @Test func aPartThatIsAsItWasIsNotFetchedAgain() async throws {
        try await resume { _, _ in
        } _: { bench, checkpointSink in
            #expect(ranges(bench) == ["bytes=12582912-16778215"])
            #expect(checkpointSink.damages == [])
        }
    }

    @Test(arguments: [4_194_304, 5_000_000, 8_388_607])
    func aDamagedBlockAloneIsFetchedAgain(at offset: Int64) async throws {
        try await resume { bench, assignment in
            bench.folder.damage("parts/\(assignment.part.text)", at: offset)
        } _: { bench, checkpointSink in
            #expect(ranges(bench) == ["bytes=4194304-8388607", "bytes=12582912-16778215"])
            #expect(checkpointSink.damages == [PartDamage(blocks: 1, bytes: Self.block)])
            #expect(checkpointSink.checkpoints.first?.forgottenBlocks == [Self.block])
            #expect(checkpointSink.restarts == [])
            let known = Set(checkpointSink.assignment?.blocks ?? [])
            #expect(known.isSuperset(of: Self.blocks[..<3]))
        }
    }

    @Test func aTailOfZerosIsFetchedAgain() async throws {
        try await resume { bench, assignment in
            bench.folder.zero("parts/\(assignment.part.text)", in: 6_000_000..<12_582_912)
        } _: { bench, checkpointSink in
            #expect(ranges(bench) == ["bytes=4194304-16778215"])
            #expect(checkpointSink.damages == [PartDamage(blocks: 2, bytes: 2 * Self.block)])
        }
    }

    @Test func theRestOfATruncatedPartFileIsKept() async throws {
        try await resume { bench, assignment in
            try bench.write(Self.content.bytes(in: 0..<9_000_000), to: assignment.part)
        } _: { bench, checkpointSink in
            #expect(ranges(bench) == ["bytes=8388608-16778215"])
            #expect(checkpointSink.restarts == [])
        }
    }

    /// The last byte of an unfinished block.
    @Test func aDamagedTailAloneIsFetchedAgain() async throws {
        try await resume(at: 3 * Self.block + 1000) { bench, assignment in
            bench.folder.damage("parts/\(assignment.part.text)", at: 3 * Self.block + 999)
        } _: { bench, checkpointSink in
            #expect(ranges(bench) == ["bytes=12582912-16778215"])
            #expect(checkpointSink.damages == [PartDamage(blocks: 1, bytes: 1000)])
            #expect(checkpointSink.restarts == [])
        }
    }

    @Test(arguments: [Int64(0), 500, 999])
    func aSmallPartThatIsDamagedIsBegunAnew(at offset: Int64) async throws {
        try await resume(at: 1000) { bench, assignment in
            bench.folder.damage("parts/\(assignment.part.text)", at: offset)
        } _: { bench, checkpointSink in
            #expect(ranges(bench) == [nil])
            #expect(checkpointSink.restarts == ["part_damaged"])
        }
    }

    @Test func bytesWithoutADigestAreBelievedAsLongAsNothingIsDamaged() async throws {
        try await resume(at: 3 * Self.block + 1000) { _, assignment in
            assignment.blocks.removeLast()
        } _: { bench, _ in
            #expect(ranges(bench) == ["bytes=12583912-16778215"])
        }
    }

    @Test func bytesWithoutADigestAreNotBelievedBesideADamagedBlock() async throws {
        try await resume(at: 3 * Self.block + 1000) { bench, assignment in
            assignment.blocks.removeLast()
            bench.folder.damage("parts/\(assignment.part.text)", at: 0)
            bench.folder.damage("parts/\(assignment.part.text)", at: 3 * Self.block + 1)
        } _: { bench, checkpointSink in
            #expect(ranges(bench) == ["bytes=0-4194303", "bytes=12582912-16778215"])
            #expect(checkpointSink.damages == [PartDamage(blocks: 1, bytes: Self.block + 1000)])
        }
    }

    @Test func aPartThatIsAnotherFileIsBegunAnew() async throws {
        try await resume { bench, assignment in
            try bench.write([UInt8](repeating: 0xEE, count: Int(3 * Self.block)), to: assignment.part)
        } _: { bench, checkpointSink in
            #expect(checkpointSink.restarts == ["part_damaged"])
            #expect(ranges(bench) == [nil])
        }
    }

    @Test func aDamagedFileWhoseBytesCannotBeAskedForIsFetchedAnew() async throws {
        try await resume(script: [.ranges(.ignored)]) { bench, assignment in
            bench.folder.damage("parts/\(assignment.part.text)", at: 0)
        } _: { bench, checkpointSink in
            #expect(checkpointSink.restarts == ["range_ignored"])
            #expect(checkpointSink.damages.count == 1)
        }
    }

    @Test func aDamagedFileWithoutAValidatorIsFetchedAnew() async throws {
        try await resume(script: [.validators(.absent)]) { bench, assignment in
            assignment.download.source.etag = nil
            assignment.download.source.lastModified = nil
            bench.folder.damage("parts/\(assignment.part.text)", at: 0)
        } _: { bench, checkpointSink in
            #expect(checkpointSink.restarts.count == 1)
            #expect(ranges(bench) == [nil])
        }
    }

    @Test func aWrongDigestCostsItsBlockOnce() async throws {
        try await resume { _, assignment in
            let right = assignment.blocks[1]
            assignment.blocks[1] = BlockDigest(start: right.start, end: right.end, value: ~right.value)
        } _: { bench, checkpointSink in
            #expect(ranges(bench) == ["bytes=4194304-8388607", "bytes=12582912-16778215"])
            #expect(checkpointSink.assignment?.blocks.filter { $0.start == Self.block } == [Self.blocks[1]])
        }
    }

    @Test func digestsOfWhatIsNotRecordedAreIgnored() async throws {
        try await resume { _, assignment in
            let unknown = [(2, 4), (3, 4), (-1, 0), (1, 1), (2, 1)].map { ($0 * Self.block, $1 * Self.block) }
            assignment.blocks += (unknown + [(.max, .min), (.min, .max)]).map {
                BlockDigest(start: $0, end: $1, value: 1)
            }
        } _: { bench, checkpointSink in
            #expect(ranges(bench) == ["bytes=12582912-16778215"])
            #expect(checkpointSink.damages == [])
        }
    }

    @Test func severalDamagedBlocksAreFetchedOverSeveralConnections() async throws {
        try await resume(settings: .nothing) { bench, assignment in
            bench.folder.damage("parts/\(assignment.part.text)", at: 1)
            bench.folder.damage("parts/\(assignment.part.text)", at: 2 * Self.block)
        } _: { bench, checkpointSink in
            #expect(checkpointSink.damages == [PartDamage(blocks: 2, bytes: 2 * Self.block)])
            #expect(bench.origin.requests.allSatisfy { $0.value(of: "range") != nil })
        }
    }

    @Test func aWholePartIsMendedBeforeItIsPublished() async throws {
        let total = Self.content.size
        try await resume(at: total) { bench, assignment in
            assignment.blocks = Self.blocks
            bench.folder.damage("parts/\(assignment.part.text)", at: total - 1)
        } _: { bench, _ in
            #expect(ranges(bench) == ["bytes=16777216-16778215"])
        }
    }

    @Test func recordedBytesHaveTheirDigests() async throws {
        let script: [Behaviour] = [.dropping(after: 3 * Self.block + 5), .page(503)]
        try await withBench(Self.content, script: script, settings: Self.one) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcome = await bench.attempt(try bench.assignment(), checkpointSink)

            #expect(outcome.file == nil)
            let durable = 3 * Self.block + 5
            #expect(checkpointSink.assignment?.blocks == Self.content.blocks(before: durable))
        }
    }

    /// What came last is recorded with the publishing, so that a part whose move failed can be compared.
    @Test func aPublishedFileHasTheDigestsOfAllItsBytes() async throws {
        try await withBench(Self.content, settings: Self.one) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcome = await bench.attempt(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.assignment?.blocks == Self.blocks)
        }
    }

    @Test func manyShortAnswersShareTheDigestsOfTheirBlocks() async throws {
        let script = [Behaviour.dropping(after: 1000)] + [.ranges(.shortened(to: 300_000))]
        try await withBench(Self.content.resized(to: 2_000_000), script: script, settings: Self.one) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            // One of each attempt.
            #expect((checkpointSink.assignment?.blocks.count ?? 0) <= outcomes.count)
        }
    }

    @Test func anAttemptThatIsCalledOffAsksNothing() async throws {
        try await withBench(Self.content) { bench in
            let assignment = try await bench.resumable(at: 3 * Self.block, total: Self.content.size)
            let (gate, checkpointSink) = (Signal(), MemoryCheckpointSink())
            let task = Task {
                await gate.wait()
                return await bench.attempt(assignment, checkpointSink)
            }
            task.cancel()
            gate.fire()

            #expect(await task.value.isStopped)
            #expect(bench.origin.requests.isEmpty)
            #expect(checkpointSink.entries.isEmpty)
        }
    }
}
