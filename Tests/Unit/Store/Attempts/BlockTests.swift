import Core
import Store
import StoreSupport
import Testing

/// The digests of a part file's blocks, kept as long as the part file is.
@Suite struct BlockTests {
    let fixture: Fixture
    private static let total: Int64 = 40 << 20
    private static let blocks = [block(0, 7), block(1, .max), block(4, 1 << 63)]

    private static func block(_ number: Int64, _ value: UInt64, bytes: Int64 = 100) -> BlockDigest {
        BlockDigest(start: number * 100, end: number * 100 + bytes, value: value)
    }

    init() throws {
        fixture = try Fixture()
    }

    private func checkpoint(_ blocks: [BlockDigest], forgotten: [Int64] = []) -> Checkpoint {
        var checkpoint = Fixture.checkpoint(20 << 20, of: Self.total)
        checkpoint.blocks = blocks
        checkpoint.forgottenBlocks = forgotten
        return checkpoint
    }

    private func save(_ claim: Claim, _ checkpoint: Checkpoint) async throws {
        try await fixture.store.checkpoint(claim, checkpoint, now: Fixture.now).taken
    }

    /// A running download with blocks.
    private func withBlocks() async throws -> Claim {
        let claim = try await fixture.claimed().claim
        try await save(claim, checkpoint(Self.blocks))
        return claim
    }

    /// What the next claim is given.
    private func claimedBlocks(after claim: Claim) async throws -> [BlockDigest] {
        _ = try await fixture.store.recordOutcome(claim, .interrupted, madeProgress: true, now: Fixture.now)
        return try await fixture.claim().blocks
    }

    @Test func theyAreHandedToTheNextClaim() async throws {
        let claim = try await withBlocks()

        #expect(try await claimedBlocks(after: claim) == Self.blocks)
    }

    @Test func aLaterCheckpointAddsToThem() async throws {
        let claim = try await withBlocks()
        try await save(claim, checkpoint([]))
        try await save(claim, checkpoint([Self.block(2, 9)]))

        #expect(try await claimedBlocks(after: claim).map(\.start) == [0, 100, 200, 400])
    }

    @Test func aBlockThatIsForgottenCanComeAnew() async throws {
        let claim = try await withBlocks()
        try await save(claim, checkpoint([Self.block(4, 3)], forgotten: [100, 400]))

        #expect(try await claimedBlocks(after: claim) == [Self.blocks[0], Self.block(4, 3)])
    }

    @Test func theLaterDigestOfABlockHolds() async throws {
        let claim = try await withBlocks()
        try await save(claim, checkpoint([Self.block(0, 8, bytes: 50)]))

        #expect(try await claimedBlocks(after: claim).first == Self.block(0, 8, bytes: 50))
    }

    @Test func aCheckpointOfAStaleClaimAddsNone() async throws {
        let claim = try await withBlocks()
        let stale = Claim(id: claim.id, node: "another", epoch: claim.epoch)
        let result = try await fixture.store.checkpoint(
            stale,
            checkpoint([Self.block(9, 9)], forgotten: [0]),
            now: Fixture.now
        )

        #expect(result.isLost)
        #expect(try fixture.count("block") == 3)
    }

    @Test func aPauseKeepsThem() async throws {
        let claim = try await withBlocks()
        try await fixture.done(claim.id, .pause)
        try await fixture.done(claim.id, .resume)

        #expect(try await fixture.claim().blocks == Self.blocks)
    }

    @Test func aRestartForgetsThem() async throws {
        let claim = try await withBlocks()
        _ = try await fixture.store.restart(claim, reason: "test", isChange: true, now: Fixture.now).taken

        #expect(try fixture.count("block") == 0)
    }

    @Test func startingOverForgetsThem() async throws {
        let claim = try await withBlocks()
        let deferral = Deferral(reason: .retry, until: Fixture.at(1), error: Fixture.error, startsOver: true)
        _ = try await fixture.store.recordOutcome(claim, .deferred(deferral), madeProgress: false, now: Fixture.now)
            .taken

        #expect(try fixture.count("block") == 0)
    }

    @Test func theEndOfTheDownloadForgetsThem() async throws {
        let claim = try await withBlocks()
        let file = Fixture.file(size: Self.total)
        _ = try await fixture.store.publish(claim, file, checkpoint([Self.block(5, 5)]), now: Fixture.now).taken
        #expect(try fixture.count("block") == 4)
        _ = try await fixture.store.recordOutcome(claim, .completed, madeProgress: true, now: Fixture.now).taken

        #expect(try fixture.count("block") == 0)
    }

    @Test(arguments: [false, true])
    func aCancelledDownloadKeepsThemWithItsPartAlone(keepsPartial: Bool) async throws {
        let claim = try await withBlocks()
        try await fixture.done(claim.id, .cancel, keepsPartial: keepsPartial)

        #expect(try fixture.count("block") == (keepsPartial ? 3 : 0))
    }

    @Test func aDeletedDownloadLeavesNone() async throws {
        let claim = try await withBlocks()
        try await fixture.done(claim.id, .cancel, keepsPartial: true)
        _ = try await fixture.store.delete(claim.id, force: true, expectedRevision: nil, now: Fixture.now)

        #expect(try fixture.count("block") == 0)
    }

    @Test(arguments: [
        "start_byte = -1", "end_byte = 0", "digest = NULL", "digest = 'x'", "generation = NULL", "download = 'dl_none'",
    ])
    func anIllegalRowIsRefused(_ change: String) async throws {
        _ = try await withBlocks()

        #expect(try !fixture.accepts("UPDATE block SET \(change) WHERE start_byte = 0"))
    }
}
