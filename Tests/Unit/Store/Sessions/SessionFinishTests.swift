import Core
import StoreSupport
import Testing

@testable import Store

/// What `session.finished` tells.
@Suite struct SessionFinishTests {
    let log: FinishLog
    let name: SessionName

    init() throws {
        log = try FinishLog()
        name = try #require(SessionName("s"))
    }

    private func make(at time: Timestamp = Fixture.now) async throws -> DownloadID {
        var request = DownloadRequest(url: Fixture.url())
        request.session = name
        guard case .created(let download) = try await log.store.create(Fixture.new(request, now: time), now: time)
        else {
            throw Unexpected(what: "not made")
        }
        return download.id
    }

    private func cancel(_ id: DownloadID, at time: Timestamp) async throws {
        let command = Command(action: .cancel, timeLimit: .seconds(9999))
        _ = try await log.store.command(id, command, now: time)
    }

    private func end(_ id: DownloadID, _ outcome: ClaimOutcome, bytes: Int64, at time: Timestamp) async throws {
        let store = log.store
        let slots = Slots(free: 9, perHost: 9)
        let claim = try #require(try await store.claim(slots, node: "o", now: time).downloads.first?.claim)
        #expect(claim.id == id)
        _ = try await store.checkpoint(claim, Fixture.checkpoint(bytes), now: time)
        if case .completed = outcome {
            _ = try await store.publish(claim, Fixture.file(id.text), Fixture.checkpoint(1000), now: time)
        }
        _ = try await store.recordOutcome(claim, outcome, madeProgress: true, now: time)
    }

    @Test func sessionFinishedHasTheCountsAndInstantsOfItsDownloads() async throws {
        let remaining = try await make(at: Fixture.at(1))
        try await end(remaining, .completed, bytes: 500, at: Fixture.at(2))
        var expected = FinishRecord(epoch: 1, startedAt: Fixture.at(1), finishedAt: Fixture.at(2))
        expected.completed = 1
        expected.receivedBytes = 1000
        #expect(try log.finishes(of: name).map(\.record) == [expected.description])

        let failed = try await make(at: Fixture.at(3))
        try await end(failed, .failed(Fixture.error), bytes: 300, at: Fixture.at(4))
        var next = FinishRecord(epoch: 2, startedAt: Fixture.at(3), finishedAt: Fixture.at(4))
        next.failed = 1
        next.receivedBytes = 300
        next.failedIDs = [failed.text]
        #expect(try log.finishes(of: name).map(\.record) == [expected, next].map(\.description))
        #expect(try log.fault(of: name, after: 0) == nil)
    }

    @Test func sessionFinishedNamesTheFirstHundredFailedDownloads() async throws {
        var ids: [DownloadID] = []
        for _ in 0..<101 { ids.append(try await make()) }
        let slots = Slots(free: 200, perHost: 200)
        for claimed in try await log.store.claim(slots, node: "o", now: Fixture.now).downloads {
            let failed = ClaimOutcome.failed(Fixture.error)
            _ = try await log.store.recordOutcome(claimed.claim, failed, madeProgress: false, now: Fixture.now)
        }

        var expected = FinishRecord(epoch: 1, startedAt: Fixture.now, finishedAt: Fixture.now)
        expected.failed = 101
        expected.failedIDs = ids.prefix(100).map(\.text).sorted()
        #expect(try log.finishes(of: name).map(\.record) == [expected.description])
    }

    /// A client that deletes each download once it has its file would be told that there was hardly any.
    @Test(arguments: [false, true])
    func aDownloadDeletedBeforeTheFinishCounts(_ isForced: Bool) async throws {
        let first = try await make()
        if !isForced { try await end(first, .completed, bytes: 10, at: Fixture.now) }
        #expect(try log.finishes(of: name).count == (isForced ? 0 : 1))
        let second = try await make()
        let third = try await make()
        if !isForced { try await cancel(second, at: Fixture.now) }
        let deletion = try await log.store.delete(second, force: isForced, expectedRevision: nil, now: Fixture.now)
        guard case .success = deletion else { throw Unexpected(what: "\(deletion)") }
        if isForced { try await cancel(first, at: Fixture.at(1)) }
        try await cancel(third, at: Fixture.at(1))

        var expected = FinishRecord(epoch: isForced ? 1 : 2, startedAt: Fixture.now, finishedAt: Fixture.at(1))
        expected.cancelled = isForced ? 3 : 2
        #expect(try log.finishes(of: name).last?.record == expected.description)
        #expect(try log.fault(of: name, after: 0) == nil)
    }

    @Test func aDownloadDeletedAfterTheFinishDoesNotCountInTheNext() async throws {
        let first = try await make()
        try await cancel(first, at: Fixture.now)
        let second = try await make()
        _ = try await log.store.delete(first, force: false, expectedRevision: nil, now: Fixture.now)
        try await cancel(second, at: Fixture.now)

        var expected = FinishRecord(epoch: 2, startedAt: Fixture.now, finishedAt: Fixture.now)
        expected.cancelled = 1
        #expect(try log.finishes(of: name).last?.record == expected.description)
    }
}
