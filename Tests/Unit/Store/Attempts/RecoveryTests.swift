import Core
import Store
import StoreSupport
import Testing

@Suite struct RecoveryTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    @Test(arguments: DownloadStateMachine.allMachines)
    func eachStandIsTakenOver(_ machine: DownloadStateMachine) async throws {
        let old = try await fixture.download(at: machine)
        let before = try fixture.row(old.id)
        let events = try fixture.events(of: old.id)

        let publishing = try await fixture.store.recover(after: .all, node: "next", now: Fixture.at(5)).publishing
        let new = try await fixture.download(old.id)
        #expect(try fixture.events(of: old.id) == events)
        switch machine.phase {
        case .publishing:
            #expect(publishing.map(\.download) == [new])
            #expect(publishing.map(\.claim) == [Claim(id: old.id, node: "next", epoch: old.epoch + 1)])
            #expect(new.machine == machine)
        case .probing, .transferring, .verifying:
            #expect(publishing.isEmpty)
            #expect(new.machine == DownloadStateMachine(state: .queued))
            #expect(new.progress == old.progress)
            #expect(new.epoch == old.epoch + 1)
        case nil:
            #expect(publishing.isEmpty)
            #expect(try fixture.row(old.id) == before)
        }
    }

    @Test func theDeadProcessIsFenced() async throws {
        let claim = try await fixture.claimed().claim
        _ = try await fixture.store.recover(after: .all, node: Fixture.node, now: Fixture.at(5))

        #expect(try await fixture.store.checkpoint(claim, Fixture.checkpoint(1), now: Fixture.now).isLost)
    }

    @Test func onceMoreChangesNothingMore() async throws {
        for machine in DownloadStateMachine.allMachines { _ = try await fixture.download(at: machine, session: "s") }
        let machines = { [fixture] in
            try await fixture.store.downloads(DownloadFilter(), before: nil, limit: 100).map(\.machine)
        }
        let first = try await fixture.store.recover(after: .all, node: "next", now: Fixture.at(5)).publishing
        let after = try await machines()
        let events = try fixture.count("event")

        let second = try await fixture.store.recover(after: .all, node: "next", now: Fixture.at(6)).publishing
        #expect(second.map(\.claim.id) == first.map(\.claim.id))
        #expect(try await machines() == after)
        #expect(try fixture.count("event") == events)
        let finished = try #require(second.first)
        _ = try await fixture.store.recordOutcome(finished.claim, .completed, madeProgress: true, now: Fixture.at(7))
            .taken
    }

    @Test(arguments: DownloadStateMachine.allMachines)
    func aPartIsNeededUntilItsDownloadIsWhole(_ machine: DownloadStateMachine) async throws {
        let download = try await fixture.download(at: machine)

        let isNeeded = machine.state != .completed
        #expect(try await fixture.store.needsPart(download.id, generation: download.generation) == isNeeded)
        #expect(try await !fixture.store.needsPart(download.id, generation: download.generation + 1))
        #expect(try await !fixture.store.needsPart(DownloadID(at: Fixture.now), generation: 1))
    }

    @Test func everythingIsThereAfterARestart() async throws {
        let claimed = try await fixture.claimed(session: "s")
        _ = try await fixture.store.checkpoint(claimed.claim, Fixture.checkpoint(400), now: Fixture.now)
        let download = try await fixture.download(claimed.claim.id)
        fixture.store.close()

        let store = try Fixture.open(fixture.path)
        #expect(try await store.download(download.id) == download)
        _ = try await store.recover(after: .all, node: "next", now: Fixture.at(5))
        let next = try await store.claim(Slots(free: 1, perHost: 1), node: "next", now: Fixture.at(6)).downloads
        #expect(next.map(\.segments) == [Fixture.checkpoint(400).segments])
    }

    // MARK: - Crashes in a row

    /// Lets the process die while the download runs, and claims it again where it is queued.
    private func crash(_ id: DownloadID) async throws -> RecoveryResult {
        let recovered = try await fixture.store.recover(after: .all, node: "next", now: Fixture.at(5))
        _ = try await claim()
        return recovered
    }

    private func claim() async throws -> Claim? {
        try await fixture.store.claim(Slots(free: 1, perHost: 1), node: "next", now: Fixture.at(6)).downloads.first?
            .claim
    }

    @Test(arguments: DownloadPhase.allCases)
    func atTheThirdCrashInARowItWaitsForItsUser(_ phase: DownloadPhase) async throws {
        let old = try await fixture.download(at: DownloadStateMachine(state: .running, phase: phase))
        #expect(try await crash(old.id).deferred.isEmpty)
        #expect(try await crash(old.id).deferred.isEmpty)

        #expect(try await crash(old.id).deferred == [old.id])
        let deferred = try await fixture.download(old.id)
        #expect(deferred.machine == DownloadStateMachine(state: .waiting, waitingFor: .resume))
        #expect(deferred.error?.error.code == .serviceCrashed)
        #expect(deferred.error?.isRetried == false)
        #expect(deferred.times.nextAttemptAt == nil)
        #expect(deferred.progress.durableBytes == old.progress.durableBytes)
        #expect(try fixture.events(of: old.id).last == "download.waiting")
        _ = try await fixture.store.sweep(now: Fixture.at(3600))
        #expect(try await fixture.download(old.id).state == .waiting)
        #expect(try await crash(old.id).deferred.isEmpty)

        try await fixture.done(old.id, .resume)
        _ = try await claim()
        #expect(try await crash(old.id).deferred.isEmpty)
        #expect(try await fixture.download(old.id).state == .running)
    }

    enum Reset: CaseIterable {
        case progress, orderlyEnd, pause
    }

    @Test(arguments: Reset.allCases)
    func progressAndUserActionsResetTheCountOfCrashes(_ relief: Reset) async throws {
        let id = try await fixture.download(at: DownloadStateMachine(state: .running)).id
        _ = try await crash(id)
        _ = try await fixture.store.recover(after: .all, node: "next", now: Fixture.at(5))
        let claim = try #require(try await claim())
        let store = fixture.store
        switch relief {
        case .progress: _ = try await store.checkpoint(claim, Fixture.checkpoint(1), now: Fixture.at(6))
        case .orderlyEnd:
            _ = try await store.recordOutcome(claim, .interrupted, madeProgress: false, now: Fixture.at(6))
        case .pause:
            try await fixture.done(id, .pause)
            try await fixture.done(id, .resume)
        }
        if relief != .progress { #expect(try await self.claim() != nil) }

        for _ in 0..<2 { #expect(try await crash(id).deferred.isEmpty) }
        #expect(try await crash(id).deferred == [id])
    }

    @Test func anOrderlyStopIsNoCrash() async throws {
        let id = try await fixture.download(at: DownloadStateMachine(state: .running)).id
        for _ in 0..<2 { #expect(try await crash(id).deferred.isEmpty) }
        try await fixture.store.recordStop(of: "next", now: Fixture.now)
        // The record is of that node, and not of those after it.
        let last = try await fixture.store.recover(after: .all, node: "last", now: Fixture.at(7))
        #expect(last.deferred.isEmpty)
        _ = try await fixture.store.claim(Slots(free: 1, perHost: 1), node: "last", now: Fixture.at(7))
        #expect(try await crash(id).deferred == [id])
    }

    @Test func onlyDownloadsOfLostNodesAreTakenOver() async throws {
        let store = fixture.store
        var claimed: [String: DownloadID] = [:]
        for node in ["lost", "live"] {
            _ = try await fixture.make()
            let claim = try await store.claim(Slots(free: 1, perHost: 9), node: node, now: Fixture.now)
            claimed[node] = claim.downloads.first?.claim.id
        }
        _ = try await store.recover(after: .these(["lost"]), node: "next", now: Fixture.at(5))

        #expect(try await fixture.download(#require(claimed["lost"])).state == .queued)
        #expect(try await fixture.download(#require(claimed["live"])).state == .running)
    }

    @Test func aNodeIsForgottenOnceItsDownloadsAreTakenOver() async throws {
        for node in ["first", "second"] {
            _ = try await fixture.store.recover(after: .all, node: node, now: Fixture.now)
        }
        #expect(try fixture.texts("SELECT id FROM node") == ["second"])

        _ = try await fixture.store.recover(after: .these([]), node: "third", now: Fixture.at(1))
        #expect(try fixture.texts("SELECT id FROM node ORDER BY id") == ["second", "third"])
    }

    /// The origin decides whether an attempt fails: it could end the process again and again otherwise.
    @Test func aFailureBetweenCrashesLeavesTheirCount() async throws {
        let id = try await fixture.download(at: DownloadStateMachine(state: .running)).id
        _ = try await crash(id)
        _ = try await fixture.store.recover(after: .all, node: "next", now: Fixture.at(5))
        let claim = try #require(try await claim())
        let deferral = Fixture.deferred(.retry, until: Fixture.at(6))
        _ = try await fixture.store.recordOutcome(claim, deferral, madeProgress: false, now: Fixture.at(6))
        _ = try await fixture.store.sweep(now: Fixture.at(6))
        #expect(try await self.claim() != nil)

        #expect(try await crash(id).deferred == [id])
    }

    /// Of a byte for each life the origin decides, too.
    @Test func atTheTenthCrashOfARunItWaitsForItsUserWhateverCameBetween() async throws {
        let id = try await fixture.download(at: DownloadStateMachine(state: .running)).id
        for round in 1...2 {
            for crash in 1...10 {
                let bytes = Int64(20 * round + crash)
                let claim = try await fixture.download(id).claim
                _ = try await fixture.store.checkpoint(claim, Fixture.checkpoint(bytes), now: Fixture.at(6))
                #expect(try await self.crash(id).deferred == (crash == 10 ? [id] : []), "\(crash)")
            }
            #expect(try await fixture.download(id).waitingFor == .resume)
            try await fixture.done(id, .resume)
            #expect(try await claim() != nil)
        }
    }
}

extension Download {
    /// The last claim of it.
    fileprivate var claim: Claim { Claim(id: id, node: node ?? "", epoch: epoch) }
}
