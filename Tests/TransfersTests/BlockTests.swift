import Linux
import Model
import TestSupport
import Testing

@testable import Transfers

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
            $0.blockDigestDelay = .zero
        }
    }

    /// No transfer lasts so long that its blocks get digests on the way.
    private static var late: Change<EngineSettings> {
        .change {
            $0.connections = 1
            $0.digest = nil
            $0.blockDigestDelay = .seconds(3600)
        }
    }

    /// Resumes at `durable` bytes with the digests of whole blocks, after `damage` was done to the part.
    private func resume(
        at durable: Int64 = 3 * block,
        script: [Behaviour] = [.good],
        settings: Change<EngineSettings> = one,
        _ damage: (Bench, inout Assignment) throws -> Void,
        _ check: (Bench, MemoryKeeper) async throws -> Void
    ) async throws {
        try await withBench(Self.content, script: script, settings: settings) { bench in
            let keeper = MemoryKeeper()
            var assignment = try await bench.resumable(at: durable, total: Self.content.size)
            assignment.blocks = Array(Self.blocks.prefix(Int(durable / Self.block)))
            try damage(bench, &assignment)

            let outcome = await bench.attempt(assignment, keeper)

            #expect(bench.holds(outcome.file))
            try await check(bench, keeper)
        }
    }

    private func ranges(_ bench: Bench) -> [String?] { bench.origin.requests.map { $0.value(of: "range") } }

    @Test func aPartThatIsAsItWasIsNotFetchedAgain() async throws {
        try await resume { _, _ in
        } _: { bench, keeper in
            #expect(ranges(bench) == ["bytes=12582912-16778215"])
            #expect(keeper.damages == [])
        }
    }

    @Test(arguments: [4_194_304, 5_000_000, 8_388_607])
    func aDamagedBlockAloneIsFetchedAgain(at offset: Int64) async throws {
        try await resume { bench, assignment in
            bench.folder.damage("parts/\(assignment.part.text)", at: offset)
        } _: { bench, keeper in
            #expect(ranges(bench) == ["bytes=4194304-8388607", "bytes=12582912-16778215"])
            #expect(keeper.damages == [PartDamage(blocks: 1, bytes: Self.block)])
            #expect(keeper.checkpoints.first?.forgottenBlocks == [1])
            #expect(keeper.restarts == [])
            let known = Set(keeper.assignment?.blocks ?? [])
            #expect(known.isSuperset(of: Self.blocks[..<3]))
        }
    }

    @Test func aTailOfZerosIsFetchedAgain() async throws {
        try await resume { bench, assignment in
            bench.folder.zero("parts/\(assignment.part.text)", in: 6_000_000..<12_582_912)
        } _: { bench, keeper in
            #expect(ranges(bench) == ["bytes=4194304-16778215"])
            #expect(keeper.damages == [PartDamage(blocks: 2, bytes: 2 * Self.block)])
        }
    }

    @Test func whatATruncatedPartStillHoldsIsKept() async throws {
        try await resume { bench, assignment in
            try bench.write(Self.content.bytes(in: 0..<9_000_000), to: assignment.part)
        } _: { bench, keeper in
            #expect(ranges(bench) == ["bytes=8388608-16778215"])
            #expect(keeper.restarts == [])
        }
    }

    @Test func bytesWithoutADigestAreBelievedAsLongAsNothingIsDamaged() async throws {
        try await resume(at: 3 * Self.block + 1000) { _, _ in
        } _: { bench, _ in
            #expect(ranges(bench) == ["bytes=12583912-16778215"])
        }
    }

    @Test func bytesWithoutADigestAreNotBelievedBesideADamagedBlock() async throws {
        try await resume(at: 3 * Self.block + 1000) { bench, assignment in
            bench.folder.damage("parts/\(assignment.part.text)", at: 0)
            bench.folder.damage("parts/\(assignment.part.text)", at: 3 * Self.block + 1)
        } _: { bench, keeper in
            #expect(ranges(bench) == ["bytes=0-4194303", "bytes=12582912-16778215"])
            #expect(keeper.damages == [PartDamage(blocks: 1, bytes: Self.block + 1000)])
        }
    }

    @Test func aPartThatIsAnotherFileIsBegunAnew() async throws {
        try await resume { bench, assignment in
            try bench.write([UInt8](repeating: 0xEE, count: Int(3 * Self.block)), to: assignment.part)
        } _: { bench, keeper in
            #expect(keeper.restarts == ["part_damaged"])
            #expect(ranges(bench) == [nil])
        }
    }

    @Test func aDamagedFileWhoseBytesCannotBeAskedForIsFetchedAnew() async throws {
        try await resume(script: [.ranges(.ignored)]) { bench, assignment in
            bench.folder.damage("parts/\(assignment.part.text)", at: 0)
        } _: { bench, keeper in
            #expect(keeper.restarts == ["range_ignored"])
            #expect(keeper.damages.count == 1)
        }
    }

    @Test func aDamagedFileWithoutAValidatorIsFetchedAnew() async throws {
        try await resume(script: [.validators(.absent)]) { bench, assignment in
            assignment.download.source.etag = nil
            assignment.download.source.lastModified = nil
            bench.folder.damage("parts/\(assignment.part.text)", at: 0)
        } _: { bench, keeper in
            #expect(keeper.restarts.count == 1)
            #expect(ranges(bench) == [nil])
        }
    }

    @Test func aWrongDigestCostsItsBlockOnce() async throws {
        try await resume { _, assignment in
            assignment.blocks[1] = BlockDigest(number: 1, value: ~assignment.blocks[1].value)
        } _: { bench, keeper in
            #expect(ranges(bench) == ["bytes=4194304-8388607", "bytes=12582912-16778215"])
            #expect(keeper.assignment?.blocks.filter { $0.number == 1 } == [Self.blocks[1]])
        }
    }

    @Test func digestsOfBlocksThatAreNotWholeAreIgnored() async throws {
        try await resume { _, assignment in
            assignment.blocks += [3, 4, -1, .max].map { BlockDigest(number: $0, value: 1) }
        } _: { bench, keeper in
            #expect(ranges(bench) == ["bytes=12582912-16778215"])
            #expect(keeper.damages == [])
        }
    }

    @Test func severalDamagedBlocksAreFetchedOverSeveralConnections() async throws {
        try await resume(settings: .nothing) { bench, assignment in
            bench.folder.damage("parts/\(assignment.part.text)", at: 1)
            bench.folder.damage("parts/\(assignment.part.text)", at: 2 * Self.block)
        } _: { bench, keeper in
            #expect(keeper.damages == [PartDamage(blocks: 2, bytes: 2 * Self.block)])
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

    @Test func eachBlockIsRecordedOnceWithItsDigest() async throws {
        try await withBench(Self.content, settings: Self.one) { bench in
            let keeper = MemoryKeeper()

            let outcome = await bench.attempt(try bench.assignment(), keeper)

            #expect(bench.holds(outcome.file))
            let recorded = keeper.checkpoints.flatMap(\.blocks)
            #expect(recorded == Array(Self.blocks.prefix(recorded.count)))
            #expect(recorded.count >= 3)
        }
    }

    @Test func aTransferThatIsDoneSoonHashesNothing() async throws {
        try await withBench(Self.content, settings: Self.late) { bench in
            let keeper = MemoryKeeper()

            let outcome = await bench.attempt(try bench.assignment(), keeper)

            #expect(bench.holds(outcome.file))
            #expect(keeper.checkpoints.flatMap(\.blocks).isEmpty)
        }
    }

    @Test func oneThatBreaksOffSoonHashesWhatItHas() async throws {
        let script: [Behaviour] = [.dropping(after: 3 * Self.block + 5), .page(503)]
        try await withBench(Self.content, script: script, settings: Self.late) { bench in
            let keeper = MemoryKeeper()

            let outcome = await bench.attempt(try bench.assignment(), keeper)

            #expect(outcome.file == nil)
            #expect(keeper.checkpoints.flatMap(\.blocks) == Array(Self.blocks.prefix(3)))
        }
    }

    @Test func anAttemptThatIsCalledOffAsksNothing() async throws {
        try await withBench(Self.content) { bench in
            var assignment = try await bench.resumable(at: 3 * Self.block, total: Self.content.size)
            assignment.blocks = Array(Self.blocks.prefix(3))
            let (gate, keeper) = (Signal(), MemoryKeeper())
            let task = Task { [assignment] in
                await gate.wait()
                return await bench.attempt(assignment, keeper)
            }
            task.cancel()
            gate.fire()

            #expect(await task.value.isStopped)
            #expect(bench.origin.requests.isEmpty)
            #expect(keeper.entries.isEmpty)
        }
    }
}
