import Core
import StoreSupport
import TestSupport
import Testing

@testable import Store

/// What a commit leaves to be removed is recorded in that commit.
@Suite struct StorageTaskTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func tasks(at now: Timestamp = Fixture.at(3600)) async throws -> [StorageTask.Target] {
        try await fixture.store.storageTasks(limit: 100, now: now).due.map(\.target)
    }

    enum Discard: CaseIterable {
        case cancel, restart, startOver, delete, forcedDelete
    }

    @Test(arguments: Discard.allCases) func eachDiscardedPartFileIsATask(_ discard: Discard) async throws {
        let claim = try await fixture.claimed().claim
        let store = fixture.store
        _ = try await store.checkpoint(claim, Fixture.checkpoint(400), now: Fixture.now)
        switch discard {
        case .cancel: try await fixture.done(claim.id, .cancel)
        case .restart: _ = try await store.restart(claim, reason: "test", isChange: false, now: Fixture.now)
        case .startOver:
            let deferral = Deferral(reason: .retry, until: Fixture.at(60), error: Fixture.error, startsOver: true)
            _ = try await store.recordOutcome(claim, .deferred(deferral), madeProgress: true, now: Fixture.now)
        case .delete:
            _ = try await store.recordOutcome(claim, .failed(Fixture.error), madeProgress: true, now: Fixture.now)
            _ = try await store.delete(claim.id, force: false, expectedRevision: nil, now: Fixture.now)
        case .forcedDelete:
            _ = try await store.delete(claim.id, force: true, expectedRevision: nil, now: Fixture.now)
        }
        #expect(try await tasks() == [.part(generation: 1)])
    }

    /// A hundred thousand queued downloads can be cancelled at once.
    @Test func aDownloadThatWasNeverClaimedLeavesNoTask() async throws {
        let id = try await fixture.make().id
        try await fixture.done(id, .cancel)
        _ = try await fixture.store.delete(id, force: false, expectedRevision: nil, now: Fixture.now)

        #expect(try await tasks().isEmpty)
    }

    @Test func aCompletedDownloadLeavesNoPartFile() async throws {
        let id = try await fixture.download(at: DownloadStateMachine(state: .completed)).id
        _ = try await fixture.store.delete(id, force: false, expectedRevision: nil, now: Fixture.now)

        #expect(try await tasks().isEmpty)
    }

    @Test(arguments: [false, true]) func aDeletionRecordsTheFilesToBeRemoved(_ removesFiles: Bool) async throws {
        let download = try await fixture.download(at: DownloadStateMachine(state: .completed))
        let file = try #require(download.file)
        #expect(try await fixture.store.isRecorded(file, of: download.id))
        _ = try await fixture.store.delete(
            download.id,
            force: false,
            removesFiles: removesFiles,
            expectedRevision: nil,
            now: Fixture.now
        )

        #expect(try await tasks() == (removesFiles ? [.file(file)] : []))
        #expect(try await !fixture.store.isRecorded(file, of: download.id))
    }

    @Test func aTaskIsDueIfTheClockWasSetBackSince() async throws {
        try await fixture.done(fixture.claimed().claim.id, .cancel)

        #expect(try await tasks(at: Fixture.at(-3600)) == [.part(generation: 1)])
    }

    @Test func aFailedTaskIsDueLaterAndADoneOneIsForgotten() async throws {
        for _ in 0..<2 { try await fixture.done(fixture.claimed().claim.id, .cancel) }
        let due = try await fixture.store.storageTasks(limit: 100, now: Fixture.now).due
        try await fixture.store.settle([due[0]], failed: [due[1]], tryingAgainAt: Fixture.at(60))

        let early = try await fixture.store.storageTasks(limit: 100, now: Fixture.at(59))
        let late = try await fixture.store.storageTasks(limit: 100, now: Fixture.at(60))
        #expect(early.due.isEmpty && early.next == Fixture.at(60))
        #expect(late.due == [due[1]] && late.next == nil)
    }
}
