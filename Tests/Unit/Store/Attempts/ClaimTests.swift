import Core
import Store
import StoreSupport
import Testing

@Suite struct ClaimTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test func aClaimIsWrittenWithItsEvent() async throws {
        let made = try await fixture.make()

        let claimed = try await fixture.claim(at: Fixture.at(5))
        #expect(claimed.claim == Claim(id: made.id, node: Fixture.node, epoch: 1))
        #expect(claimed.download.machine == DownloadStateMachine(state: .running, phase: .probing))
        #expect(claimed.download.attempts.count == 1)
        #expect(claimed.download.times.startedAt == Fixture.at(5))
        #expect(claimed.download.revision == made.revision + 1)
        #expect(try await fixture.download(made.id) == claimed.download)
        #expect(try fixture.events(of: made.id) == ["download.created", "download.started"])
    }

    @Test func everyClaimRaisesTheEpoch() async throws {
        let first = try await fixture.claimed()
        _ = try await fixture.store.recordOutcome(first.claim, .interrupted, madeProgress: false, now: Fixture.at(1))

        let second = try await fixture.claim(at: Fixture.at(9))
        #expect(second.claim.epoch > first.claim.epoch)
        #expect(second.download.times.startedAt == first.download.times.startedAt)
        #expect(second.download.attempts.count == 2)
    }

    /// An interrupted download is claimed again soon, so only one that is held has an event.
    @Test(
        arguments: [
            (.interrupted, []), (.requeued(.pause(until: nil)), ["download.waiting"]),
        ] as [(ClaimOutcome, [String])]
    )
    func aHeldDownloadIsQueuedWithAnEvent(_ outcome: ClaimOutcome, events: [String]) async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.recordOutcome(claim, outcome, madeProgress: false, now: Fixture.at(1))

        #expect(try await fixture.download(claim.id).state == .queued)
        #expect(try fixture.events(of: claim.id) == ["download.created", "download.started"] + events)
    }

    @Test func theOldestComeFirst() async throws {
        var made: [DownloadID] = []
        for index in [5, 1, 4, 2, 3] as [Int64] {
            made.append(try await fixture.make(at: Fixture.at(index)).id)
        }

        let claimed = try await fixture.claim(free: 3, at: Fixture.at(9))
        #expect(claimed.map(\.claim.id) == [made[1], made[3], made[4]])
        #expect(try await fixture.claim(free: 9, at: Fixture.at(9)).map(\.claim.id) == [made[2], made[0]])
    }

    @Test(arguments: [0, -1])
    func withoutASlotNothingIsClaimed(_ free: Int) async throws {
        try await fixture.make()

        #expect(try await fixture.claim(free: free).isEmpty)
        #expect(try await fixture.claim(free: 1, perHost: 0).isEmpty)
    }

    @Test(arguments: DownloadStateMachine.allMachines.filter { $0.state != .queued })
    func onlyTheQueuedIsClaimed(_ machine: DownloadStateMachine) async throws {
        _ = try await fixture.download(at: machine)

        #expect(try await fixture.claim(free: 9, at: Fixture.at(1_000_000)).isEmpty)
    }

    @Test func aHostIsNotAskedForMoreThanItsSlots() async throws {
        for host in ["a", "a", "a", "b", "a", "b"] { try await fixture.make(host: host) }

        #expect(
            try await fixture.claim(free: 9, perHost: 2).map(\.download.request.url.host).sorted() == [
                "a", "a", "b", "b",
            ]
        )
        #expect(try await fixture.claim(free: 9, perHost: 2).isEmpty)
        #expect(try await fixture.claim(free: 9, perHost: 3).map(\.download.request.url.host) == ["a"])
    }

    @Test func aSingleHostGetsSevenEighthsOfTheSlots() async throws {
        var free = 16
        func claimed(_ host: String, _ count: Int = 20) async throws -> Int {
            for _ in 0..<count { try await fixture.make(host: host) }
            let slots = Slots(free: free, perHost: 1000, isSharedByFree: true)
            let claim = try await fixture.store.claim(slots, node: Fixture.node, now: Fixture.now)
            #expect(claim.downloads.allSatisfy { $0.download.request.url.host == host })
            free -= claim.downloads.count
            return claim.downloads.count
        }

        #expect(try await claimed("a") == 14)
        #expect(try await claimed("b") == 1)
        #expect(try await claimed("c") == 1)
        #expect(try await claimed("d") == 0)
        free = 1
        #expect(try await claimed("d", 0) == 1)
    }

    @Test(arguments: [(1, 1), (2, 1), (3, 2), (4, 3), (8, 7), (64, 56)])
    func slotsThatAreSharedByWhatIsFreeAreCountedForFewToo(_ free: Int, _ most: Int) async throws {
        for _ in 0...free { try await fixture.make(host: "a") }
        let slots = Slots(free: free, perHost: 1000, isSharedByFree: true)

        let claim = try await fixture.store.claim(slots, node: Fixture.node, now: Fixture.now)

        #expect(claim.downloads.count == most)
        #expect(claim.left.isEmpty)
    }

    /// A long queue for one host that is full must not keep a slot empty that another host could use.
    @Test func freeSlotsAreFilledPastAFullHost() async throws {
        for _ in 0..<10 { try await fixture.make(host: "a") }
        try await fixture.make(host: "b", at: Fixture.at(1))
        for _ in 0..<10 { try await fixture.make(host: "c", at: Fixture.at(2)) }

        let hosts = try await fixture.claim(free: 9, perHost: 2, at: Fixture.at(3)).map(\.download.request.url.host)
        #expect(hosts == ["a", "a", "b", "c", "c"])
    }

    @Test func aHostThatIsHeldBackIsLeftAlone() async throws {
        try await fixture.make(host: "a")
        try await fixture.make(host: "b")
        try await fixture.store.deferClaims("a:443", until: Fixture.at(10))
        try await fixture.store.deferClaims("a:443", until: Fixture.at(5))

        #expect(try await fixture.claim(free: 9, at: Fixture.at(9)).map(\.download.request.url.host) == ["b"])
        #expect(try await fixture.store.nextDue() == Fixture.at(10))
        #expect(try await fixture.claim(free: 9, at: Fixture.at(10)).map(\.download.request.url.host) == ["a"])
    }

    @Test func aHostWithoutRangesIsRemembered() async throws {
        try await fixture.store.flagHostRefusesRanges("a:443", until: Fixture.at(3))
        try await fixture.store.deferClaims("a:443", until: Fixture.now)
        try await fixture.make(host: "a")
        try await fixture.make(host: "b", at: Fixture.at(1))

        let claimed = try await fixture.claim(free: 2, at: Fixture.at(2))
        #expect(claimed.map(\.context.hostRefusesRanges) == [true, false])
        try await fixture.make(host: "a", at: Fixture.at(3))
        #expect(try await fixture.claim(free: 1, at: Fixture.at(3)).map(\.context.hostRefusesRanges) == [false])
    }

    @Test func fortyClaimsForTwentyDownloadsTakeEachOnce() async throws {
        for _ in 0..<20 { try await fixture.make() }

        let claims = try await withThrowingTaskGroup(of: [Claim].self) { group in
            for _ in 0..<40 {
                group.addTask { [fixture] in try await fixture.claim(free: 1).map(\.claim) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(claims.count == 20)
        #expect(Set(claims.map(\.id)).count == 20)
    }
}
