import Core
import HTTPFields
import TestSupport
import Testing
import TransferRules

@testable import Transfer

struct HostTableTests {
    private static let host = "example.com:443"
    private let time = ManualTime()
    private let id: DownloadID

    init() { id = DownloadID(at: time.now) }

    private func table(_ maxLimit: Int) -> HostTable {
        HostTable(maxLimit: maxLimit, rules: HostRules(), time: time.source)
    }

    @Test func connectionsAreAdmittedUpToTheMaximum() throws {
        let hosts = table(2)
        let permits = [try hosts.admit(Self.host, for: id), try hosts.admit(Self.host, for: id)]

        #expect(throws: HostWait(authority: Self.host, until: nil, reason: .connectionLimit)) {
            try hosts.admit(Self.host, for: id)
        }
        #expect(hosts.snapshot(of: Self.host).openConnections == permits.count)
    }

    @Test func aPassCountsOnceAndIsClosedByItsEndAtTheLatest() throws {
        let hosts = table(2)
        let permit = try hosts.admit(Self.host, for: id)
        do {
            let permit = try hosts.admit(Self.host, for: id)
            permit.close()
            permit.close()
        }
        _ = try hosts.admit(Self.host, for: id)

        #expect(hosts.snapshot(of: Self.host).openConnections == 1)
        permit.close()
    }

    @Test func aHostOfWhichNothingWasLearnedIsForgotten() throws {
        let hosts = table(2)
        try hosts.admit(Self.host, for: id).close()

        #expect(!hosts.knows(Self.host))
        #expect(hosts.snapshots.isEmpty)
    }

    @Test func oldStatesOfHostsAreForgotten() throws {
        let hosts = table(8)
        for port in 1...3 {
            let permit = try hosts.admit("example.com:\(port)", for: id)
            permit.record(TransferFailure(DownloadError(.connectFailed, message: "It is down.")), at: .header)
            permit.close()
        }
        #expect(hosts.snapshots.count == 3)

        time.advance(by: .seconds(3700))
        try hosts.admit(Self.host, for: id).close()

        #expect(hosts.snapshots.isEmpty)
    }

    @Test func aHostThatRefusedIsKeptInMind() throws {
        let hosts = table(8)
        let permits = try (0..<4).map { _ in try hosts.admit(Self.host, for: id) }
        permits[3].record(status: 429, .retry(TransferFailure(DownloadError(httpStatus: 429))))
        for permit in permits { permit.close() }

        #expect(hosts.connectionLimit(of: Self.host, for: id) == 3)
        #expect(hosts.room(for: 8, at: Self.host, of: id) == 3)
    }

    @Test func aFrozenHostHasNoRoom() throws {
        let hosts = table(8)
        hosts.updateGovernor(Self.host) { $0.recordRefusal(at: $1, of: id, open: .max, retryAfter: .seconds(10)) }

        #expect(hosts.room(for: 1, at: Self.host, of: id) == 0)
        time.advance(by: .seconds(10))
        #expect(hosts.room(for: 1, at: Self.host, of: id) == 1)
    }

    @Test func oneDownloadIsClaimedForEachFreeConnection() throws {
        let hosts = table(4)
        let permits = try (0..<4).map { _ in try hosts.admit(Self.host, for: id) }
        #expect(hosts.claimRooms(below: 4) == [Self.host: 0])
        hosts.recordClaim(of: [], leaving: [Self.host])
        for permit in permits.prefix(3) { permit.close() }

        #expect(hosts.claimRooms(below: 4) == [Self.host: 3])
        #expect(hosts.claimRooms(below: 3).isEmpty)
        hosts.recordClaim(of: [(Self.host, DownloadID(at: time.now))], leaving: [])
        #expect(hosts.claimRooms(below: 4) == [Self.host: 2])
        permits[3].close()
    }

    @Test func aWaiterIsToldWhenAConnectionBecomesFree() async throws {
        let hosts = table(2)
        let permits = try (0..<2).map { _ in try hosts.admit(Self.host, for: id) }
        hosts.recordClaim(of: [], leaving: [Self.host])
        permits[0].close()
        permits[1].close()

        var openings = hosts.openings.makeAsyncIterator()
        #expect(await openings.next() != nil)
    }

    /// It closed while the claim was made.
    @Test func aWaiterIsToldOfAConnectionThatIsAlreadyFree() async throws {
        let hosts = table(2)
        hosts.recordClaim(of: [], leaving: [Self.host])

        var openings = hosts.openings.makeAsyncIterator()
        #expect(await openings.next() != nil)
    }

    @Test func aDownloadWithSeveralConnectionsReleasesOneForTheQueue() throws {
        let hosts = table(4)
        let permits = try (0..<4).map { _ in try hosts.admit(Self.host, for: id) }
        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        hosts.recordClaim(of: [], leaving: [Self.host])

        #expect(hosts.surplus(of: id, at: Self.host) == 1)
        permits[0].close()
        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        #expect(hosts.room(for: 1, at: Self.host, of: id) == 0)
        // It was claimed, and does not come.
        hosts.recordClaim(of: [(Self.host, DownloadID(at: time.now))], leaving: [])
        #expect(hosts.room(for: 1, at: Self.host, of: id) == 0)
        time.advance(by: .seconds(5))
        #expect(hosts.room(for: 1, at: Self.host, of: id) == 1)
        for permit in permits { permit.close() }
    }

    @Test func noConnectionIsReleasedWhenTheQueueIsEmpty() throws {
        let hosts = table(4)
        let permits = try (0..<4).map { _ in try hosts.admit(Self.host, for: id) }
        hosts.recordClaim(of: [], leaving: [Self.host])
        hosts.recordClaim(of: [], leaving: [])

        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        #expect(hosts.connectionLimit(of: Self.host, for: id) == 4)
        for permit in permits { permit.close() }
    }

    @Test func aHostThatAnswersWithRedirectsAloneDoesNotNarrowADownload() throws {
        let hosts = table(4)
        let permits = try (0..<4).map { try hosts.admit(Self.host, for: DownloadID(at: time.now, number: $0)) }

        #expect(hosts.connectionLimit(of: Self.host, for: id) == 4)
        for permit in permits { permit.close() }
    }

    @Test func aConnectionLimitLearnedByOneDownloadAppliesToOthers() throws {
        let hosts = table(4)
        let other = DownloadID(at: time.now)
        let permits = try [id, id, id, other].map { try hosts.admit(Self.host, for: $0) }
        hosts.recordForbidden(by: Self.host, beside: 1, isFirstRequest: true)
        hosts.recordDemand(of: other, for: 1, at: Self.host)

        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        for permit in permits { permit.close() }
    }

    @Test func noConnectionIsReleasedIfNoOtherDownloadCouldUseIt() throws {
        let hosts = table(6)
        let other = DownloadID(at: time.now)
        let permits = try [id, id, id, id, other, other].map { try hosts.admit(Self.host, for: $0) }
        hosts.updateGovernor(Self.host) { $0.recordRefusal(at: $1, of: other, open: 3) }
        hosts.recordDemand(of: other, for: 1, at: Self.host)
        hosts.recordClaim(of: [], leaving: [Self.host])

        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        for permit in permits { permit.close() }
    }

    @Test func theLastAcceptedNumberOfConnectionsIsKnownUntilARefusal() throws {
        let hosts = table(16)
        let eight = ProvenConnections(count: 8, bytesPerSecond: 1000)
        let permit = try hosts.admit(Self.host, for: id)
        hosts.recordProven(eight, at: Self.host)
        permit.close()

        // It is no news of the host.
        #expect(hosts.provenConnections(at: Self.host) == eight && hosts.snapshots.isEmpty)
        #expect(hosts.provenConnections(at: "other.example:443") == nil)

        hosts.recordForbidden(by: Self.host, beside: 0, isFirstRequest: true)
        #expect(hosts.provenConnections(at: Self.host) == eight)
        hosts.recordRefusal(by: Self.host, of: id)
        #expect(hosts.provenConnections(at: Self.host) == nil)
    }

    @Test func theConnectionsToAllHostsAreCounted() throws {
        let hosts = table(2)
        let permits = [try hosts.admit(Self.host, for: id), try hosts.admit("other.example:443", for: id)]
        #expect(hosts.openConnections == 2)

        for permit in permits + permits { permit.close() }
        #expect(hosts.openConnections == 0)
    }

    /// A refusal says that the host bears fewer, and nobody waits: what is on its way goes on.
    @Test func noConnectionIsGivenUpBecauseTheHostBearsFewer() throws {
        let hosts = table(4)
        let permits = try (0..<4).map { _ in try hosts.admit(Self.host, for: id) }
        permits[3].record(status: 429, .retry(TransferFailure(DownloadError(httpStatus: 429))))

        #expect(hosts.connectionLimit(of: Self.host, for: id) == 2)
        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        for permit in permits { permit.close() }
    }

    @Test func aConnectionIsKeptForADownloadThatWasTurnedAway() throws {
        let hosts = table(4)
        let permits = try (0..<4).map { _ in try hosts.admit(Self.host, for: id) }
        let other = DownloadID(at: time.now)
        #expect(throws: HostWait.self) { try hosts.admit(Self.host, for: other) }

        #expect(hosts.connectionLimit(of: Self.host, for: id) == 3)
        permits[0].close()
        #expect(hosts.room(for: 1, at: Self.host, of: id) == 0)
        let permit = try hosts.admit(Self.host, for: other)
        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        permit.close()
        for permit in permits { permit.close() }
    }

    @Test(arguments: [(Int64(0), HostSnapshot.State.blocked), (1, .available)])
    func aBodyThatBreaksOffIsAFailureOfTheHostWhereNothingOfItCame(
        _ bytes: Int64,
        _ state: HostSnapshot.State
    ) throws {
        let hosts = table(8)
        let permits = try (0..<6).map { try hosts.admit(Self.host, for: DownloadID(at: time.now, number: $0 % 2)) }
        let failure = TransferFailure(DownloadError(.connectFailed, message: "The body ended early."))
        for permit in permits { permit.record(failure, at: .body, afterBytes: bytes) }

        #expect(hosts.snapshot(of: Self.host).state == state)
        for permit in permits { permit.close() }
    }

    // MARK: - Whose a 503 is

    private func refuse(_ hosts: HostTable, _ id: DownloadID, retryAfter: RetryAfter? = nil) throws {
        let permit = try hosts.admit(Self.host, for: id)
        permit.record(status: 503, .retry(TransferFailure(DownloadError(httpStatus: 503), retryAfter: retryAfter)))
        permit.close()
    }

    private func succeed(_ hosts: HostTable, _ id: DownloadID) throws {
        let permit = try hosts.admit(Self.host, for: id)
        permit.recordSuccess()
        permit.close()
    }

    @Test(arguments: [nil, RetryAfter(seconds: 3600)])
    func aDownloadThatAloneIsRefusedNarrowsNoHostThatAnswersOthers(retryAfter: RetryAfter?) throws {
        let hosts = table(8)
        let others = (1...3).map { DownloadID(at: time.now, number: $0) }
        for other in others { try succeed(hosts, other) }

        for _ in 0..<5 {
            try refuse(hosts, id, retryAfter: retryAfter)
            time.advance(by: .seconds(20))
            try succeed(hosts, others[0])
        }

        #expect(hosts.snapshot(of: Self.host).connectionLimit == 8)
        #expect(hosts.snapshot(of: Self.host).state == .available)
    }

    @Test func aRedirectOnTheWayMakesA503NoneOfTheHosts() throws {
        let hosts = table(8)
        try succeed(hosts, DownloadID(at: time.now, number: 1))
        let permit = try hosts.admit(Self.host, for: id)
        permit.recordRedirect()
        permit.close()

        try refuse(hosts, id)

        #expect(hosts.snapshot(of: Self.host).connectionLimit == 8)
    }

    @Test func aHostThatAnswersOthersAfterItsFirstRefusalIsAsWideAsBefore() throws {
        let hosts = table(8)
        let other = try hosts.admit(Self.host, for: DownloadID(at: time.now, number: 1))
        try refuse(hosts, id, retryAfter: RetryAfter(seconds: 3600))
        #expect(hosts.snapshot(of: Self.host).connectionLimit == 1)

        other.recordSuccess()

        #expect(hosts.snapshot(of: Self.host).connectionLimit == 8)
        other.close()
    }

    @Test func aFirstRefusalWithoutRetryAfterNarrowsNoHost() throws {
        let hosts = table(8)
        for _ in 0..<3 { try refuse(hosts, id) }
        #expect(hosts.snapshot(of: Self.host).connectionLimit == 8)

        try refuse(hosts, DownloadID(at: time.now, number: 2))

        #expect(hosts.snapshot(of: Self.host).connectionLimit == 1)
    }

    @Test func aHostThatRefusesTwoDownloadsIsNarrow() throws {
        let hosts = table(8)
        try succeed(hosts, DownloadID(at: time.now, number: 1))
        try refuse(hosts, id)
        #expect(hosts.snapshot(of: Self.host).connectionLimit == 8)

        try refuse(hosts, DownloadID(at: time.now, number: 2))

        #expect(hosts.snapshot(of: Self.host).connectionLimit == 1)
    }

    /// Its URL is well: it was one connection too many.
    @Test func aDownloadThatIsRefusedOneConnectionMoreNarrowsTheHost() throws {
        let hosts = table(8)
        try succeed(hosts, DownloadID(at: time.now, number: 1))
        let permits = try (0..<4).map { _ in try hosts.admit(Self.host, for: id) }
        permits[0].recordSuccess()

        permits[3].record(status: 503, .retry(TransferFailure(DownloadError(httpStatus: 503))))

        #expect(hosts.snapshot(of: Self.host).connectionLimit == 3)
        for permit in permits { permit.close() }
    }

    /// A client that asks too often is refused whatever it asks for (RFC 6585, section 4).
    @Test func aHostThatIsAskedTooOftenIsNarrowWhomeverItAnswers() throws {
        let hosts = table(8)
        try succeed(hosts, DownloadID(at: time.now, number: 1))
        let permit = try hosts.admit(Self.host, for: id)

        permit.record(status: 429, .retry(TransferFailure(DownloadError(httpStatus: 429))))

        #expect(hosts.snapshot(of: Self.host).connectionLimit == 1)
        permit.close()
    }
}
