import Model
import TestSupport
import Testing

@testable import Transfers

struct HostTableTests {
    private static let host = "example.com:443"
    private let time = ManualTime()
    private let id: DownloadID

    init() { id = DownloadID(at: time.now) }

    private func table(_ ceiling: Int) -> HostTable {
        HostTable(ceiling: ceiling, rules: HostRules(), time: time.source)
    }

    @Test func connectionsAreAdmittedUpToTheCeiling() throws {
        let hosts = table(2)
        let passes = [try hosts.admit(Self.host, for: id), try hosts.admit(Self.host, for: id)]

        #expect(throws: HostWait(authority: Self.host, until: nil, reason: .cap)) {
            try hosts.admit(Self.host, for: id)
        }
        #expect(hosts.snapshot(of: Self.host).openConnections == passes.count)
    }

    @Test func aPassCountsOnceAndIsClosedByItsEndAtTheLatest() throws {
        let hosts = table(2)
        let kept = try hosts.admit(Self.host, for: id)
        do {
            let pass = try hosts.admit(Self.host, for: id)
            pass.close()
            pass.close()
        }
        _ = try hosts.admit(Self.host, for: id)

        #expect(hosts.snapshot(of: Self.host).openConnections == 1)
        kept.close()
    }

    @Test func aHostOfWhichNothingWasLearnedIsForgotten() throws {
        let hosts = table(2)
        try hosts.admit(Self.host, for: id).close()

        #expect(!hosts.knows(Self.host))
        #expect(hosts.snapshots.isEmpty)
    }

    @Test func whatIsLongPastIsForgotten() throws {
        let hosts = table(8)
        for port in 1...3 {
            let pass = try hosts.admit("example.com:\(port)", for: id)
            pass.note(TransferFailure(DownloadError(.connectFailed, message: "It is down.")), at: .header)
            pass.close()
        }
        #expect(hosts.snapshots.count == 3)

        time.advance(by: .seconds(3700))
        try hosts.admit(Self.host, for: id).close()

        #expect(hosts.snapshots.isEmpty)
    }

    @Test func aHostThatRefusedIsKeptInMind() throws {
        let hosts = table(8)
        let passes = try (0..<4).map { _ in try hosts.admit(Self.host, for: id) }
        passes[3].note(status: 429, .retry(TransferFailure(DownloadError(httpStatus: 429))))
        for pass in passes { pass.close() }

        #expect(hosts.width(of: Self.host, for: id) == 3)
        #expect(hosts.room(for: 8, at: Self.host, of: id) == 3)
    }

    @Test func aFrozenHostHasNoRoom() throws {
        let hosts = table(8)
        hosts.note(Self.host) { $0.noteRefusal(at: $1, of: id, open: .max, retryAfter: .seconds(10)) }

        #expect(hosts.room(for: 1, at: Self.host, of: id) == 0)
        time.advance(by: .seconds(10))
        #expect(hosts.room(for: 1, at: Self.host, of: id) == 1)
    }

    @Test func whatIsWorthRunningIsOneForEachConnectionThatIsFree() throws {
        let hosts = table(4)
        let passes = try (0..<4).map { _ in try hosts.admit(Self.host, for: id) }
        #expect(hosts.claimRooms(below: 4) == [Self.host: 0])
        hosts.noteClaim(of: [], leaving: [Self.host])
        for pass in passes.prefix(3) { pass.close() }

        #expect(hosts.claimRooms(below: 4) == [Self.host: 3])
        #expect(hosts.claimRooms(below: 3).isEmpty)
        hosts.noteClaim(of: [(Self.host, DownloadID(at: time.now))], leaving: [])
        #expect(hosts.claimRooms(below: 4) == [Self.host: 2])
        passes[3].close()
    }

    @Test func whoeverWaitsHearsOfTheFirstConnectionThatIsFree() async throws {
        let hosts = table(2)
        let passes = try (0..<2).map { _ in try hosts.admit(Self.host, for: id) }
        hosts.noteClaim(of: [], leaving: [Self.host])
        passes[0].close()
        passes[1].close()

        var openings = hosts.openings.makeAsyncIterator()
        #expect(await openings.next() != nil)
    }

    /// It closed while the claim was made.
    @Test func whoeverWaitsHearsOfAConnectionThatIsFreeAlready() async throws {
        let hosts = table(2)
        hosts.noteClaim(of: [], leaving: [Self.host])

        var openings = hosts.openings.makeAsyncIterator()
        #expect(await openings.next() != nil)
    }

    @Test func whoHasSeveralConnectionsGivesOneUpForWhatIsInTheQueue() throws {
        let hosts = table(4)
        let passes = try (0..<4).map { _ in try hosts.admit(Self.host, for: id) }
        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        hosts.noteClaim(of: [], leaving: [Self.host])

        #expect(hosts.surplus(of: id, at: Self.host) == 1)
        passes[0].close()
        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        #expect(hosts.room(for: 1, at: Self.host, of: id) == 0)
        // It was claimed, and does not come.
        hosts.noteClaim(of: [(Self.host, DownloadID(at: time.now))], leaving: [])
        #expect(hosts.room(for: 1, at: Self.host, of: id) == 0)
        time.advance(by: .seconds(5))
        #expect(hosts.room(for: 1, at: Self.host, of: id) == 1)
        for pass in passes { pass.close() }
    }

    @Test func nothingIsGivenUpAnyMoreOnceAClaimLeavesNothing() throws {
        let hosts = table(4)
        let passes = try (0..<4).map { _ in try hosts.admit(Self.host, for: id) }
        hosts.noteClaim(of: [], leaving: [Self.host])
        hosts.noteClaim(of: [], leaving: [])

        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        #expect(hosts.width(of: Self.host, for: id) == 4)
        for pass in passes { pass.close() }
    }

    @Test func aHostThatAnswersWithRedirectsAloneDoesNotNarrowADownload() throws {
        let hosts = table(4)
        let passes = try (0..<4).map { try hosts.admit(Self.host, for: DownloadID(at: time.now, number: $0)) }

        #expect(hosts.width(of: Self.host, for: id) == 4)
        for pass in passes { pass.close() }
    }

    @Test func whatAHostForbidsADownloadIsNotAskedOfOthers() throws {
        let hosts = table(4)
        let other = DownloadID(at: time.now)
        let passes = try [id, id, id, other].map { try hosts.admit(Self.host, for: $0) }
        hosts.noteForbidden(by: Self.host, beside: 1, isFirstRequest: true)
        hosts.noteDemand(of: other, for: 1, at: Self.host)

        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        for pass in passes { pass.close() }
    }

    @Test func nothingIsGivenUpThatWouldLetNobodyIn() throws {
        let hosts = table(6)
        let other = DownloadID(at: time.now)
        let passes = try [id, id, id, id, other, other].map { try hosts.admit(Self.host, for: $0) }
        hosts.note(Self.host) { $0.noteRefusal(at: $1, of: other, open: 3) }
        hosts.noteDemand(of: other, for: 1, at: Self.host)
        hosts.noteClaim(of: [], leaving: [Self.host])

        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        for pass in passes { pass.close() }
    }

    /// A refusal says that the host bears fewer, and nobody waits: what is on its way goes on.
    @Test func noConnectionIsGivenUpBecauseTheHostBearsFewer() throws {
        let hosts = table(4)
        let passes = try (0..<4).map { _ in try hosts.admit(Self.host, for: id) }
        passes[3].note(status: 429, .retry(TransferFailure(DownloadError(httpStatus: 429))))

        #expect(hosts.width(of: Self.host, for: id) == 2)
        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        for pass in passes { pass.close() }
    }

    @Test func aConnectionIsKeptForADownloadThatWasTurnedAway() throws {
        let hosts = table(4)
        let passes = try (0..<4).map { _ in try hosts.admit(Self.host, for: id) }
        let other = DownloadID(at: time.now)
        #expect(throws: HostWait.self) { try hosts.admit(Self.host, for: other) }

        #expect(hosts.width(of: Self.host, for: id) == 3)
        passes[0].close()
        #expect(hosts.room(for: 1, at: Self.host, of: id) == 0)
        let pass = try hosts.admit(Self.host, for: other)
        #expect(hosts.surplus(of: id, at: Self.host) == 0)
        pass.close()
        for pass in passes { pass.close() }
    }
}
