import Core
import Store
import StoreSupport
import TestSupport
import Testing

/// Whose turn it is.
@Suite struct ClaimTurnTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func make(
        _ count: Int,
        of session: String?,
        host: String = "a",
        priority: Int = 0,
        at time: Timestamp = Fixture.now
    ) async throws {
        for _ in 0..<count {
            var request = DownloadRequest(url: Fixture.url(host: host))
            request.session = session.flatMap { SessionName($0) }
            request.priority = Priority(clamping: priority)
            try await fixture.make(request, at: time)
        }
    }

    private func sessions(free: Int, perHost: Int = 1000, rooms: [String: Int] = [:]) async throws -> [String] {
        let slots = Slots(free: free, perHost: perHost, hostRooms: rooms)
        return try await fixture.store.claim(slots, node: Fixture.node, now: Fixture.now)
            .downloads.map { $0.download.request.session?.text ?? "-" }
    }

    @Test func aLongQueueOfOneSessionStarvesNoOther() async throws {
        try await make(50, of: "long")
        try await make(3, of: "short", at: Fixture.at(1))
        try await make(1, of: nil, at: Fixture.at(2))

        #expect(try await sessions(free: 7) == ["long", "short", "-", "long", "short", "long", "short"])
        #expect(try await sessions(free: 2) == ["long", "long"])
    }

    @Test func theSessionOfWhichTheFewestRunIsNext() async throws {
        try await make(10, of: "a")
        #expect(try await sessions(free: 3) == ["a", "a", "a"])
        try await make(5, of: "b", at: Fixture.at(1))

        #expect(try await sessions(free: 3) == ["b", "b", "b"])
        #expect(try await sessions(free: 2) == ["a", "b"])
    }

    @Test func theHigherPriorityComesFirstWhateverRuns() async throws {
        try await make(3, of: "low", priority: -1)
        try await make(2, of: "high", priority: 100)
        try await make(2, of: "middle")

        #expect(try await sessions(free: 6) == ["high", "high", "middle", "middle", "low", "low"])
    }

    @Test func aPriorityThatIsChangedCountsAtOnce() async throws {
        try await make(2, of: "a")
        let last = try await fixture.make(at: Fixture.at(5))
        var edit = DownloadEdit()
        edit.set(\.priority, to: Priority(clamping: 1))
        try await fixture.done(last.id, nil, edit)

        let first = try await fixture.claim(at: Fixture.at(9))
        #expect(first.claim.id == last.id)
        #expect(first.download.request.priority == Priority(1))
    }

    /// Far more than a claim passes by one after the other.
    @Test func aFullHostKeepsNothingBackOfItsSessionOrOfOthers() async throws {
        try await make(100, of: "a", host: "full")
        try await make(2, of: "a", host: "b")
        try await make(100, of: "c", host: "full")
        try await make(1, of: "c", host: "d")
        try await make(1, of: nil, host: "full")

        #expect(try await sessions(free: 9, rooms: ["full:443": 0]).sorted() == ["a", "a", "c"])
        #expect(try await sessions(free: 9, rooms: ["full:443": 0]).isEmpty)
        #expect(try await sessions(free: 9, rooms: ["full:443": 1]).count == 1)
    }

    @Test func theOldestComeFirstAlsoPastAFullHost() async throws {
        try await make(40, of: "a", host: "full")
        var made: [DownloadID] = []
        for (index, host) in ["z", "b", "z", "b"].enumerated() {
            var request = DownloadRequest(url: Fixture.url(host: host))
            request.session = SessionName("a")
            made.append(try await fixture.make(request, at: Fixture.at(Int64(index + 1))).id)
        }

        let slots = Slots(free: 3, perHost: 9, hostRooms: ["full:443": 0])
        let claimed = try await fixture.store.claim(slots, node: Fixture.node, now: Fixture.at(9))
        #expect(claimed.downloads.map(\.claim.id) == Array(made[0..<3]))
        #expect(claimed.left == ["full:443"])
    }

    @Test func aHostIsLeftWithDownloadsOnlyWhereItsConnectionsAreWhatLacks() async throws {
        let slots = Slots(free: 9, perHost: 2, hostRooms: ["full:443": 1, "busy:443": 3, "idle:443": 0])
        for host in ["full", "busy", "roomy"] { try await make(3, of: nil, host: host) }

        let claim = try await fixture.store.claim(slots, node: Fixture.node, now: Fixture.now)

        #expect(claim.downloads.count == 5)
        #expect(claim.left == ["full:443"])
    }

    @Test func moreSessionsThanOneClaimLooksAtAllGetTheirTurn() async throws {
        for index in 100..<220 { try await make(1, of: "s\(index)", host: "full") }
        for index in 220..<240 { try await make(1, of: "s\(index)", host: "b") }

        var claimed: Set<String> = []
        for _ in 0..<4 { claimed.formUnion(try await sessions(free: 30, rooms: ["full:443": 0])) }
        #expect(claimed.count == 20)
    }

    @Test func aLowerPriorityDoesNotBeginTheTurnsOfAHigherOneAnew() async throws {
        for index in 100..<164 { try await make(1, of: "s\(index)", host: "full") }
        for index in 164..<170 { try await make(1, of: "s\(index)", host: "b") }
        try await make(9, of: "low", host: "c", priority: -1)

        var claimed: [String] = []
        for _ in 0..<4 { claimed += try await sessions(free: 3, rooms: ["full:443": 0]) }
        #expect(Set(claimed).subtracting(["low"]) == Set((164..<170).map { "s\($0)" }))
        #expect(claimed.count == 12)
    }

    private func limit(_ session: String, to maxConcurrent: Int?) async throws {
        let name = try #require(SessionName(session))
        let settings = SessionSettings(maxConcurrent: maxConcurrent)
        _ = try await fixture.store.setUpSession(name, settings, now: Fixture.now)
    }

    @Test func noMoreOfASessionRunAtOnceThanItsLimitSays() async throws {
        try await limit("a", to: 2)
        try await make(40, of: "a")
        try await make(2, of: "a", priority: 5)
        try await make(1, of: "a", priority: -5)
        try await make(3, of: nil, at: Fixture.at(1))

        #expect(try await sessions(free: 9) == ["a", "a", "-", "-", "-"])
        #expect(try await sessions(free: 9).isEmpty)
        try await limit("a", to: 5)
        #expect(try await sessions(free: 9) == ["a", "a", "a"])
        try await limit("a", to: 1)
        #expect(try await sessions(free: 9).isEmpty)
        try await limit("a", to: nil)
        #expect(try await sessions(free: 9).count == 9)
    }

    @Test func endedAndPausedDownloadsFreeSlotsOfTheirSession() async throws {
        try await limit("a", to: 1)
        try await make(3, of: "a")
        let first = try await fixture.claim()
        #expect(try await sessions(free: 9).isEmpty)

        try await fixture.done(first.claim.id, .pause)
        let second = try await fixture.claim()
        #expect(try await sessions(free: 9).isEmpty)
        try await fixture.done(second.claim.id, .cancel)
        #expect(try await sessions(free: 9) == ["a"])
    }

    @Test func moreFullSessionsThanOneClaimLooksAtKeepNoneBack() async throws {
        for index in 100..<200 {
            try await limit("s\(index)", to: 1)
            try await make(2, of: "s\(index)")
        }
        for _ in 0..<4 { _ = try await sessions(free: 100) }
        try await make(1, of: "z", at: Fixture.at(1))

        #expect(try await sessions(free: 9) == ["z"])
    }

    @Test func theLimitsOfSessionAndHostHoldTogether() async throws {
        try await limit("a", to: 3)
        try await make(20, of: "a", host: "full")
        try await make(5, of: "a", host: "b")
        // Younger, so that among equals it is always the other's turn.
        try await make(5, of: "c", host: "b", at: Fixture.at(1))

        let taken = try await sessions(free: 20, perHost: 4, rooms: ["full:443": 1])

        #expect(taken.sorted() == ["a", "a", "a", "c", "c"])
    }
}
