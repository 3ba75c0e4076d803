import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing

@testable import Store

/// What becomes of the work while the database cannot be written.
@Suite(.hangLimit)
struct StoreFaultTests {
    private let folder = TemporaryFolder()
    private let time = ManualTime()

    @Test func aDownloadWhoseProgressCannotBeRecordedIsTriedAgainLater() async throws {
        let content = Content(size: 2 << 20)
        let origin = Origin(content)
        defer { origin.stop() }
        let refuses = "CREATE TEMP TRIGGER refuses BEFORE INSERT ON segment BEGIN SELECT RAISE(ABORT, 'no'); END"
        try await withService(.with { $0.prepare = { try await $0.execute(refuses) } }) { service in
            let id = try await service.add(origin.url("/a.bin"))
            let waiting = try await service.wait(id, .waiting)

            #expect(waiting.waitingFor == .retry)
            #expect(waiting.error?.error.code == .internal)
            #expect(try #require(waiting.times.nextAttemptAt) > service.time.now)
            #expect(service.logs.lines.contains { $0.contains("progress not recorded") && $0.contains(id) })
            try await service.store.execute("DROP TRIGGER temp.refuses")
            try await service.advanceClock(by: .seconds(1), until: id, .completed)
        }
    }

    @Test func anOperationThatCannotGoOnSaysWhyAndLetsOthersPass() async throws {
        let refuses = """
            CREATE TEMP TRIGGER refuses BEFORE UPDATE ON main.operation WHEN NEW.action = 'cancel'
            BEGIN SELECT RAISE(ABORT, 'no place'); END
            """
        let options = TestService.Options.with {
            $0.runsScheduler = false
            $0.prepare = { try await $0.execute(refuses) }
        }
        try await withService(options) { service in
            func start(_ action: String) async throws -> String {
                let body = #"{"action":"\#(action)","filter":{}}"#
                return try #require(try await service.request("POST", "/downloads/actions", body)["location"])
            }
            func isFinished(_ operation: String) async throws -> Bool {
                try await service.request("GET", operation).json["state"]?.text == "finished"
            }
            _ = try await service.add("http://a.example/")
            let stuck = try await start("cancel")
            _ = try await service.logs.line(with: "step of an operation deferred")
            let other = try await start("pause")

            _ = try await service.wait(for: [.events]) { try await isFinished(other) ? true : nil }
            let shown = try await service.request("GET", stuck).json
            #expect(shown["state"]?.text == "queued")
            #expect(shown["waiting_reason"]?.text?.contains("no place") == true)

            try await service.store.execute("DROP TRIGGER temp.refuses")
            try await poll("the end of the operation", because: .counter) {
                service.time.advance(by: .seconds(10))
                return try await isFinished(stuck)
            }
            #expect(try await service.request("GET", stuck).json["waiting_reason"] == .null)
        }
    }

    /// Refuses to write down that a download was completed.
    private static let refusal =
        """
        CREATE TEMP TRIGGER refuses BEFORE UPDATE OF state ON main.download WHEN NEW.state = 'completed'
        BEGIN SELECT RAISE(ABORT, 'no'); END
        """

    @Test func anOutcomeThatTheStoreRefusesIsRecordedLaterAndOnce() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService(.with { $0.prepare = { try await $0.execute(Self.refusal) } }) { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.logs.line(with: "not recorded")
            #expect(try await service.record(id).machine == DownloadStateMachine(state: .running, phase: .publishing))
            let epoch = try await service.record(id).epoch

            try await service.store.execute("DROP TRIGGER temp.refuses")
            let download = try await service.advanceClock(by: .seconds(1), until: id, .completed)

            #expect(download.epoch == epoch)
            #expect(try service.files == ["a.bin"])
            #expect(origin.requests.count == 1)
        }
    }

    @Test func anOutcomeThatCouldNotBeRecordedIsTheNextStartsToFind() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        let options = TestService.Options.with { $0.prepare = { try await $0.execute(Self.refusal) } }
        let id = try await withService(options, folder: folder, time: time) { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.logs.line(with: "not recorded")
            return id
        }

        try await withService(folder: folder, time: time) { service in
            try await service.wait(id, .completed)

            #expect(try service.files == ["a.bin"])
        }
        #expect(origin.requests.count == 1)
    }

    @Test func theServiceStartsOnAFullDiskAndGoesOnWhenThereIsRoom() async throws {
        let content = Content(size: 1000)
        let origin = Origin(content)
        defer { origin.stop() }
        let id = try await OrphanedClaim.make(origin.url("/a.bin"), in: folder, now: time.now) { _ in }

        try await withService(.with { $0.prepare = { try await $0.fillDisk() } }, folder: folder, time: time) {
            service in
            try await service.logs.line(with: "recovery deferred")
            #expect(try await service.show(id)["state"]?.text == "running")
            #expect(!service.running.isRecovered)

            try await service.store.emptyDisk()
            try await service.advanceClock(by: .seconds(1), until: id, .completed)
            #expect(service.running.isRecovered)
        }
        #expect(content.matches(fileAt: folder("downloads/a.bin")))
    }

    @Test func theServiceStopsWhileItsRecoveryWaits() async throws {
        _ = try await OrphanedClaim.make("http://a.example/a", in: folder, now: time.now) { _ in }

        try await withService(.with { $0.prepare = { try await $0.fillDisk() } }, folder: folder, time: time) {
            service in
            try await service.logs.line(with: "recovery deferred")
        }
    }

    @Test func aStoreThatFailedBeforeItsGuardBeganEndsTheService() async throws {
        let store = try Store(.file(folder("cormorant.db")), encode: JSONEncoding.encode)
        store.writer.stopWriting()
        await #expect(throws: StoreError.outcomeUnknown) { try await store.configureWebhook(nil, now: time.now) }

        await #expect(throws: StoreError.outcomeUnknown) {
            try await StoreFailureMonitor(store: store, logger: LogRecorder().logger).run()
        }
    }
}
