import Core
import TestSupport
import Testing

@testable import Transfer

/// What each implementation of ``CheckpointSink`` promises to an attempt.
@Suite(.hangLimit)
struct CheckpointSinkTests {
    private static let total: Int64 = 1000

    private static func checkpoint(_ durable: Int64, generation: Int = 1, blocks: [BlockDigest] = []) -> Checkpoint {
        Checkpoint(
            generation: generation,
            source: with(Download.Source()) {
                $0.status = 200
                $0.etag = "\"v1\""
            },
            totalBytes: total,
            segments: segments(durable),
            blocks: blocks
        )
    }

    private static func segments(_ durable: Int64) -> [Segment] {
        [Segment(index: 0, start: 0, end: total, durableEnd: durable)]
    }

    private static func isDone(_ result: FencedResult<Void>) -> Bool {
        if case .done = result { true } else { false }
    }

    @Test(arguments: CheckpointSinkKind.allCases)
    func aCheckpointIsStoredWhenItReturns(_ kind: CheckpointSinkKind) async throws {
        let scene = try await kind.scene()

        #expect(Self.isDone(try await scene.sink.checkpoint(Self.checkpoint(400))))

        let expected = Kept(
            generation: 1,
            etag: "\"v1\"",
            totalBytes: Self.total,
            segments: Self.segments(400),
            hostRefusesRanges: false,
            mismatches: 0
        )
        #expect(try await scene.kept() == expected)
    }

    @Test(arguments: CheckpointSinkKind.allCases)
    func aLaterCheckpointReplacesTheOneBefore(_ kind: CheckpointSinkKind) async throws {
        let scene = try await kind.scene()

        for durable in [400, 700] as [Int64] { _ = try await scene.sink.checkpoint(Self.checkpoint(durable)) }

        #expect(try await scene.kept().segments == Self.segments(700))
    }

    @Test(arguments: CheckpointSinkKind.allCases)
    func concurrentRecordsAreStoredAtomically(_ kind: CheckpointSinkKind) async throws {
        let scene = try await kind.scene()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for round in 0..<100 {
                group.addTask {
                    if round.isMultiple(of: 2) { _ = try await scene.sink.checkpoint(Self.checkpoint(400)) }
                    try await scene.sink.recordHostRefusesRanges("example.com:443")
                }
            }
            try await group.waitForAll()
        }

        let kept = try await scene.kept()
        #expect(kept.hostRefusesRanges && kept.segments == Self.segments(400))
    }

    @Test(arguments: CheckpointSinkKind.allCases)
    func digestsOfBlocksAreStoredWhereTheyAreComputed(_ kind: CheckpointSinkKind) async throws {
        let scene = try await kind.scene()
        let blocks = [BlockDigest(start: 0, end: 400, value: 7)]

        _ = try await scene.sink.checkpoint(Self.checkpoint(400, blocks: blocks))

        #expect(try await scene.kept().blocks == (scene.sink.storesBlocks ? blocks : []))
    }

    @Test(arguments: CheckpointSinkKind.allCases)
    func aRangeRefusalOfAMirrorIsNotRecordedForTheOrigin(_ kind: CheckpointSinkKind) async throws {
        let scene = try await kind.scene()
        _ = try await scene.sink.checkpoint(Self.checkpoint(400))

        try await scene.sink.recordHostRefusesRanges("mirror.example.org:443")

        #expect(try await !scene.kept().hostRefusesRanges)
    }

    @Test(arguments: CheckpointSinkKind.allCases)
    func aRestartTakesTheNextGenerationAndNoBytes(_ kind: CheckpointSinkKind) async throws {
        let scene = try await kind.scene()
        _ = try await scene.sink.checkpoint(Self.checkpoint(400))

        let generation = try await scene.sink.restart(reason: "changed", isChange: true)

        #expect(generation == .done(2))
        let kept = try await scene.kept()
        #expect(kept.generation == 2 && kept.segments.isEmpty && kept.mismatches == 0)
    }

    @Test(arguments: CheckpointSinkKind.allCases)
    func aCheckpointAfterARestartIsOfTheNewGeneration(_ kind: CheckpointSinkKind) async throws {
        let scene = try await kind.scene()
        _ = try await scene.sink.checkpoint(Self.checkpoint(400))
        _ = try await scene.sink.restart(reason: "changed", isChange: true)

        #expect(Self.isDone(try await scene.sink.checkpoint(Self.checkpoint(100, generation: 2))))

        let kept = try await scene.kept()
        #expect(kept.generation == 2 && kept.segments == Self.segments(100))
    }

    @Test(arguments: CheckpointSinkKind.allCases)
    func aWrongFileThatAnotherSourceMakesUpForIsCounted(_ kind: CheckpointSinkKind) async throws {
        let scene = try await kind.scene()

        _ = try await scene.sink.restart(reason: "checksum_mismatch", isChange: false)

        #expect(try await scene.kept().mismatches == 1)
    }

    @Test(arguments: CheckpointSinkKind.allCases)
    func aFileThatIsAboutToBeMovedIsStored(_ kind: CheckpointSinkKind) async throws {
        let scene = try await kind.scene()
        let file = PublishedFile(
            path: "a.iso",
            digests: [],
            identity: .file(size: Self.total, modified: nil, hint: FileHint(volume: 1, number: 2))
        )

        #expect(try await scene.sink.publish(file, Self.checkpoint(Self.total)) == .done(true))

        #expect(try await scene.published() == file)
    }

    @Test(arguments: CheckpointSinkKind.allCases)
    func damageAloneChangesNothingThatIsStored(_ kind: CheckpointSinkKind) async throws {
        let scene = try await kind.scene()
        _ = try await scene.sink.checkpoint(Self.checkpoint(400))

        await scene.sink.recordDamage(PartDamage(blocks: 1, bytes: 100))

        #expect(try await scene.kept().segments == Self.segments(400))
    }

    @Test(arguments: CheckpointSinkKind.allCases)
    func aFileOfAnySizeIsAdmittedWhereThereIsNoLimit(_ kind: CheckpointSinkKind) async throws {
        #expect(try await kind.scene().sink.admits(total: 1 << 40))
    }

    @Test(arguments: CheckpointSinkKind.allCases)
    func aStateFileThatCannotBeWrittenFailsTheAttempt(_ kind: CheckpointSinkKind) async throws {
        let scene = try await kind.scene()
        try scene.refuseWrites()

        await #expect {
            _ = try await scene.sink.checkpoint(Self.checkpoint(400))
        } throws: {
            scene.isRefusal($0)
        }
    }
}
