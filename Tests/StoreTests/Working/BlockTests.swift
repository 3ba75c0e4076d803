import Model
import Store
import Testing

/// The digests of a part file's blocks, kept as long as the part file is.
@Suite struct BlockTests {
    let fixture: Fixture
    private static let total: Int64 = 40 << 20
    private static let blocks = [
        BlockDigest(number: 0, value: 7), BlockDigest(number: 1, value: .max), BlockDigest(number: 4, value: 1 << 63),
    ]

    init() throws {
        fixture = try Fixture()
    }

    private func checkpoint(_ blocks: [BlockDigest], forgotten: [Int] = []) -> Checkpoint {
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
        _ = try await fixture.store.settle(claim, .interrupted, madeProgress: true, now: Fixture.now)
        return try await fixture.claim().blocks
    }

    @Test func theyAreHandedToTheNextClaim() async throws {
        let claim = try await withBlocks()

        #expect(try await claimedBlocks(after: claim) == Self.blocks)
    }

    @Test func aLaterCheckpointAddsToThem() async throws {
        let claim = try await withBlocks()
        try await save(claim, checkpoint([]))
        try await save(claim, checkpoint([BlockDigest(number: 2, value: 9)]))

        #expect(try await claimedBlocks(after: claim).map(\.number) == [0, 1, 2, 4])
    }

    @Test func aBlockThatIsForgottenCanComeAnew() async throws {
        let claim = try await withBlocks()
        try await save(claim, checkpoint([BlockDigest(number: 4, value: 3)], forgotten: [1, 4]))

        #expect(try await claimedBlocks(after: claim) == [Self.blocks[0], BlockDigest(number: 4, value: 3)])
    }

    @Test func theLaterDigestOfABlockHolds() async throws {
        let claim = try await withBlocks()
        try await save(claim, checkpoint([BlockDigest(number: 0, value: 8)]))

        #expect(try await claimedBlocks(after: claim).first?.value == 8)
    }

    @Test func aCheckpointOfAStaleClaimAddsNone() async throws {
        let claim = try await withBlocks()
        let stale = Claim(id: claim.id, owner: "another", epoch: claim.epoch)
        let answer = try await fixture.store.checkpoint(
            stale,
            checkpoint([BlockDigest(number: 9, value: 9)], forgotten: [0]),
            now: Fixture.now
        )

        #expect(answer.isLost)
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
        let hold = Hold(reason: .retry, until: Fixture.at(1), error: Fixture.error, startsOver: true)
        _ = try await fixture.store.settle(claim, .held(hold), madeProgress: false, now: Fixture.now).taken

        #expect(try fixture.count("block") == 0)
    }

    @Test func theEndOfTheDownloadForgetsThem() async throws {
        let claim = try await withBlocks()
        let file = Fixture.file(size: Self.total)
        _ = try await fixture.store.publish(claim, file, checkpoint([]), now: Fixture.now).taken
        #expect(try fixture.count("block") == 3)
        _ = try await fixture.store.settle(claim, .completed, madeProgress: true, now: Fixture.now).taken

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

    @Test(arguments: ["number = -1", "digest = NULL", "digest = 'x'", "generation = NULL", "download = 'dl_none'"])
    func anIllegalRowIsRefused(_ change: String) async throws {
        _ = try await withBlocks()

        #expect(try !fixture.accepts("UPDATE block SET \(change) WHERE number = 0"))
    }
}
