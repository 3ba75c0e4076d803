import Core
import Store
import StoreSupport
import Testing

/// Steps of actions on many downloads, each in one transaction.
@Suite struct OperationStepTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func begin(_ request: BulkRequest) async throws -> BulkOperation {
        let id = OperationID(at: Fixture.now)
        guard case .done(let operation?) = try await fixture.store.createOperation(id, request, now: Fixture.now) else {
            throw StoreError.refused("the operation was not made")
        }
        return operation
    }

    /// - Returns: What the step came to; nil if there was none to do.
    private func step(_ store: Store? = nil, limit: Int = 256) async throws -> OperationStep? {
        let store = store ?? fixture.store
        guard let batch = try await store.nextBatch(limit: limit) else { return nil }
        return try await store.carryOut(batch, timeLimit: .seconds(86_400), now: Fixture.now)
    }

    private func finish(_ request: BulkRequest, limit: Int = 256) async throws -> BulkOperation {
        let id = try await begin(request).id
        while try await step(limit: limit) != nil {}
        return try #require(try await fixture.store.operation(id))
    }

    /// What an action does to a download at each stand is what it does to one alone.
    @Test(arguments: DownloadStateMachine.allMachines, [BulkAction.pause, .resume, .cancel, .retry])
    func anOperationChangesWhatSingleActionsWould(_ machine: DownloadStateMachine, _ action: BulkAction) async throws {
        let id = try await fixture.download(at: machine).id
        var alone = machine
        let effect = try? alone.apply(try #require(action.downloadAction))
        let isForLater = action == .resume && machine.waitingFor == .schedule
        let isChanged = effect.map { $0 != .unchanged } ?? false && !isForLater
        let isTooLate = machine.phase == .publishing && (action == .pause || action == .cancel)

        let operation = try await finish(BulkRequest(action: action))

        #expect(operation.counts.matched == 1)
        #expect(operation.counts.changed == (isChanged ? 1 : 0))
        #expect(operation.failures == (isTooLate ? [BulkFailure(id, .busy)] : []))
        #expect(try await fixture.download(id).state == (isChanged ? alone.state : machine.state))
    }

    @Test func aStepActsOnSoManyAndTheNextGoesOn() async throws {
        for _ in 0..<5 { _ = try await fixture.make() }
        let id = try await begin(BulkRequest(action: .pause)).id

        #expect(try await step(limit: 2)?.results.count == 2)
        #expect(try await fixture.store.operation(id)?.state == .running)
        #expect(try await step(limit: 2)?.results.count == 2)
        #expect(try await step(limit: 2)?.operation.finishedAt == Fixture.now)
        #expect(try await step() == nil)
        #expect(try await fixture.store.operation(id)?.counts.changed == 5)
        #expect(try fixture.count("download WHERE state = 'paused'") == 5)
        #expect(try fixture.count("event WHERE type = 'operation.finished'") == 1)
    }

    @Test func anotherProcessGoesOnAndCountsNothingTwice() async throws {
        for _ in 0..<5 { _ = try await fixture.make() }
        let id = try await begin(BulkRequest(action: .cancel)).id
        _ = try await step(limit: 2)
        // It was looked for and not carried out, as by a crash in between.
        let lost = try #require(try await fixture.store.nextBatch(limit: 2))
        fixture.store.close()

        let reopened = try Fixture.open(fixture.path)
        defer { reopened.close() }
        while try await step(reopened, limit: 2) != nil {}
        let late = try await reopened.carryOut(lost, timeLimit: .seconds(1), now: Fixture.now)

        let operation = try #require(try await reopened.operation(id))
        #expect(late == nil)
        #expect(operation.counts.changed == 5 && operation.counts.matched == 5)
        #expect(try fixture.count("event WHERE type = 'download.cancelled'") == 5)
        #expect(try fixture.count("event WHERE type = 'operation.finished'") == 1)
    }

    @Test func anOperationSkipsDownloadsCreatedLater() async throws {
        let old = try await fixture.make().id
        let id = try await begin(BulkRequest(action: .pause)).id
        // The clock was set back meanwhile.
        let new = try await fixture.make(at: Fixture.at(-60)).id
        _ = try await step()

        #expect(try await fixture.store.operation(id)?.counts.matched == 1)
        #expect(try await fixture.download(old).state == .paused)
        #expect(try await fixture.download(new).state == .queued)
    }

    /// SQLite gives the number of a deleted highest row away again.
    @Test func anOperationSkipsADownloadThatReusesARow() async throws {
        let first = try await fixture.make().id
        let last = try await fixture.make().id
        _ = try await begin(BulkRequest(action: .pause))
        _ = try await fixture.store.delete(last, force: true, expectedRevision: nil, now: Fixture.now)
        let new = try await fixture.make(at: Fixture.at(-60)).id
        _ = try await step()

        #expect(try await fixture.download(first).state == .paused)
        #expect(try await fixture.download(new).state == .queued)
    }

    @Test func aDryRunChangesNothing() async throws {
        let ids = [try await fixture.make().id, try await fixture.claimed().claim.id]
        let rows = try ids.map(fixture.row)
        let events = try fixture.count("event")

        let operation = try await finish(BulkRequest(action: .cancel, isDryRun: true))

        #expect(operation.counts.changed == 2)
        #expect(try ids.map(fixture.row) == rows)
        // Its own end.
        #expect(try fixture.count("event") == events + 1)
    }

    @Test func eachMemberOfTheFilterMustHold() async throws {
        let session = try #require(SessionName("s"))
        // The fixture claims whatever is queued, so the download that fails is made while it is the only one.
        _ = try await fixture.download(at: DownloadStateMachine(state: .failed), session: "s")
        let chosen = try await fixture.make(session: "s").id
        _ = try await fixture.make()

        let filter = DownloadFilter(states: [.queued, .waiting], session: session)
        let operation = try await finish(BulkRequest(action: .pause, filter: filter))

        #expect(operation.counts.matched == 1 && operation.request.filter == filter)
        #expect(try fixture.texts("SELECT id FROM download WHERE state = 'paused'") == [chosen.text])
    }

    @Test func everyMemberOfTheFilterIsStored() async throws {
        var filter = DownloadFilter(
            states: [.queued, .failed],
            session: SessionName("s"),
            ids: [try await fixture.make().id, DownloadID(at: Fixture.now)]
        )
        filter.labels = [Label(name: "a", value: ""), Label(name: #"\"b\\"#, value: "c:d")]
        filter.host = "a.example"
        filter.port = 65535
        filter.errorCode = .timeout
        filter.created = .init(after: Fixture.at(1), before: Fixture.at(2))
        filter.finished = .init(after: Fixture.at(3), before: Fixture.at(4))
        filter.text = "ß"

        let id = try await begin(BulkRequest(action: .pause, filter: filter)).id

        #expect(try await fixture.store.operation(id)?.request.filter == filter)
    }

    @Test func anUnknownIDFails() async throws {
        let known = try await fixture.make().id
        let unknown = DownloadID(at: Fixture.now)
        let filter = DownloadFilter(ids: [known, unknown])

        let operation = try await finish(BulkRequest(action: .pause, filter: filter))

        #expect(operation.counts.changed == 1 && operation.counts.failed == 1)
        #expect(operation.failures == [BulkFailure(unknown, .notFound)])
    }

    @Test func aDeletionRefusesWhatHasNotEndedUnlessForced() async throws {
        let ended = try await fixture.download(at: DownloadStateMachine(state: .failed)).id
        let open = try await fixture.make().id

        let first = try await finish(BulkRequest(action: .delete))
        #expect(first.counts.changed == 1 && first.failures == [BulkFailure(open, .notTerminal)])
        #expect(try await fixture.store.download(ended) == nil)

        let second = try await finish(BulkRequest(action: .delete, forces: true))
        #expect(second.counts.changed == 1 && second.failures.isEmpty)
        #expect(try fixture.events(of: open).suffix(2) == ["download.cancelled", "download.deleted"])
    }

    @Test func operationsRunInTheirOrder() async throws {
        let id = try await fixture.make().id
        let first = try await begin(BulkRequest(action: .pause)).id
        let second = OperationID(at: Fixture.at(1))
        _ = try await fixture.store.createOperation(second, BulkRequest(action: .resume), now: Fixture.now)

        #expect(try await step()?.operation.id == first)
        #expect(try await step()?.operation.id == second)
        #expect(try await fixture.download(id).state == .queued)
    }

    @Test func aHundredMayBeUnfinished() async throws {
        for _ in 0..<BulkOperation.maximumUnfinished { _ = try await begin(BulkRequest(action: .pause)) }

        let next = try await fixture.store.createOperation(
            OperationID(at: Fixture.now),
            BulkRequest(action: .pause),
            now: Fixture.now
        )
        guard case .done(nil) = next else { throw StoreError.refused("one more was made") }
    }

    @Test func oldOperationsArePurged() async throws {
        let id = try await finish(BulkRequest(action: .pause)).id
        _ = try await fixture.make()
        let ages = PurgeAges(events: .seconds(60))

        _ = try await fixture.store.purge(ages, now: Fixture.at(59))
        #expect(try await fixture.store.operation(id) != nil)
        _ = try await fixture.store.purge(ages, now: Fixture.at(61))
        #expect(try await fixture.store.operation(id) == nil)
    }
}
