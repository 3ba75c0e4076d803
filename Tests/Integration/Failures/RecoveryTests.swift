import Core
import Service
import ServiceSupport
import Store
import TestSupport
import Testing

@Suite(.hangLimit)
struct RecoveryTests {
    let folder = TemporaryFolder()
    let time = ManualTime()

    @Test(arguments: [(0, 0), (700, 0), (700, 400), (1000, 1000)])
    func aTransferOfADeadProcessContinuesFromItsRecordedBytes(_ written: Int64, _ recorded: Int64) async throws {
        let content = Content(size: 1000)
        let origin = Origin(content)
        defer { origin.stop() }
        let id = try await OrphanedClaim.make(origin.url("/a.bin"), in: folder, now: time.now) { left in
            try await left.receive(content, written: written, recorded: recorded, in: folder)
        }

        try await withService(folder: folder, time: time) { service in
            let download = try await service.wait(id, .completed, .failed)

            #expect(download.state == .completed)
            #expect(content.matches(fileAt: folder("downloads/a.bin")))
            #expect(try service.parts == [])
        }
        let ranges = origin.requests.map { $0.value(of: "range") }
        #expect(ranges == (recorded == 0 ? [nil] : recorded == 1000 ? [] : ["bytes=\(recorded)-999"]))
    }

    @Test func aDownloadThatWasOnlyClaimedBeginsAnew() async throws {
        let content = Content(size: 1000)
        let origin = Origin(content)
        defer { origin.stop() }
        let id = try await OrphanedClaim.make(origin.url("/a.bin"), in: folder, now: time.now) { _ in }

        try await withService(folder: folder, time: time) { service in
            let download = try await service.wait(id, .completed, .failed)

            #expect(download.state == .completed)
        }
        #expect(content.matches(fileAt: folder("downloads/a.bin")))
    }

    @Test(arguments: [false, true])
    func aPublicationOfADeadProcessIsFinishedWithoutTheOrigin(_ isMoved: Bool) async throws {
        let content = Content(size: 1000)
        let origin = Origin(content)
        defer { origin.stop() }
        let id = try await OrphanedClaim.make(origin.url("/a.bin"), in: folder, now: time.now) { left in
            try await left.publish("a.bin", content, isMoved: isMoved, in: folder)
        }

        try await withService(folder: folder, time: time) { service in
            let download = try await service.wait(id, .completed, .failed)

            #expect(download.state == .completed)
            #expect(download.file?.path == "a.bin")
            #expect(try service.parts == [])
            #expect(try service.files == ["a.bin"])
        }
        #expect(content.matches(fileAt: folder("downloads/a.bin")))
        #expect(origin.requests.isEmpty)
    }

    /// Leaves a download behind that waits, whose file was moved to a folder that could not be synchronised.
    private func leavePlaced(_ content: Content, _ url: String) async throws -> String {
        try await OrphanedClaim.make(url, in: folder, now: time.now) { left in
            try await left.publish("a.bin", content, isMoved: true, in: folder)
            let error = DownloadError(.ioError, message: "fsync")
            let deferral = Deferral(reason: .io, until: time.now + .seconds(30), error: error)
            _ = try await left.store.recordOutcome(left.claim, .deferred(deferral), madeProgress: true, now: time.now)
        }
    }

    @Test func aRenamedFileThatIsNotDurableIsFinishedWithoutTheOrigin() async throws {
        let content = Content(size: 1000)
        let origin = Origin(content)
        defer { origin.stop() }
        let id = try await leavePlaced(content, origin.url("/a.bin"))

        try await withService(folder: folder, time: time) { service in
            let download = try await service.advanceClock(by: .seconds(10), until: id, .completed, .failed)

            #expect(download.state == .completed)
            #expect(try service.files == ["a.bin"])
        }
        #expect(origin.requests.isEmpty)
    }

    @Test func aRenamedFileThatIsNotDurableIsRemovedByACancel() async throws {
        let id = try await leavePlaced(Content(size: 1000), "http://a.example/a.bin")

        try await withService(folder: folder, time: time) { service in
            try await service.act("cancel", on: id)

            try await service.names(in: "downloads", are: [])
        }
    }

    @Test func aPartThatVanishedWhileItWasPublishedIsFetchedAgain() async throws {
        let content = Content(size: 1000)
        let origin = Origin(content)
        defer { origin.stop() }
        let id = try await OrphanedClaim.make(origin.url("/a.bin"), in: folder, now: time.now) { left in
            try await left.publish("a.bin", content, in: folder)
            folder.remove("parts/\(left.part)")
        }

        try await withService(folder: folder, time: time) { service in
            let download = try await service.advanceClock(by: .seconds(1), until: id, .completed, .failed)

            #expect(download.state == .completed)
        }
        #expect(content.matches(fileAt: folder("downloads/a.bin")))
    }

    @Test func unusedPartFilesAreRemovedAndOtherFilesStay() async throws {
        folder.makeFolder("parts")
        let orphan = "\(DownloadID(at: time.now)).g1.part"
        folder.write("bytes", to: "parts/\(orphan)")
        folder.write("bytes", to: "parts/notes.txt")
        let paused = try await withService(.with { $0.runsScheduler = false }, folder: folder, time: time) { service in
            try await service.add("http://a.example/a", #","start":false"#)
        }
        folder.write("bytes", to: "parts/\(paused).g1.part")
        folder.write("bytes", to: "parts/\(paused).g2.part")

        try await withService(folder: folder, time: time) { service in
            try await service.isReady()

            #expect(try !service.parts.contains(orphan))
            #expect(try service.parts.contains("\(paused).g1.part"))
            #expect(try !service.parts.contains("\(paused).g2.part"))
            #expect(try service.parts.contains("notes.txt"))
        }
    }

    /// The process ended between the deletion of records and the removal of their files. Another download has recorded
    /// one of the files since.
    @Test func filesOfDeletedRecordsAreRemovedAfterTheNextStart() async throws {
        let content = Content(size: 1000)
        let url = "http://a.example/a.bin"
        _ = try await OrphanedClaim.make(url, in: folder, now: time.now) { first in
            let kept = try await first.complete("kept.bin", content, in: folder)
            try await first.delete()
            let second = try await first.next(url)
            _ = try await second.complete("removed.bin", content, in: folder)
            try await second.delete()
            try await first.next(url).skip(kept)
        }
        #expect(content.matches(fileAt: folder("downloads/removed.bin")))

        try await withService(folder: folder, time: time) { service in
            try await service.names(in: "downloads", are: ["kept.bin"])
        }
    }

    @Test func aGracefulStopKeepsEveryByte() async throws {
        let content = Content(seed: 9, size: 2 << 20)
        let received: Int64 = 700_001
        let origin = Origin(content, script: [.pace(.stall(after: received, until: Signal())), .good])
        defer { origin.stop() }
        let id = try await withService(folder: folder, time: time) { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.wait(id, receives: received)
            return id
        }

        try await withService(folder: folder, time: time) { service in
            let download = try await service.wait(id, .completed, .failed)

            #expect(download.state == .completed)
        }
        #expect(origin.requests.map { $0.value(of: "range") } == [nil, "bytes=\(received)-\(content.size - 1)"])
        #expect(content.matches(fileAt: folder("downloads/a.bin")))
    }
}

extension RecoveryTests {
    @Test func aMirrorGoesOnWithWhatADeadProcessLeft() async throws {
        let content = Content(size: 1_500_000)
        let (origin, mirror) = (Origin(content, script: [.page(503)]), Origin(content))
        defer { for origin in [origin, mirror] { origin.stop() } }
        let mirrors = [DownloadURL(normalized: mirror.url("/m.bin"))]
        let withMirrors = { (request: inout DownloadRequest) in request.mirrors = mirrors }
        let id = try await OrphanedClaim.make(origin.url("/a.bin"), in: folder, now: time.now, withMirrors) {
            try await $0.receive(content, written: 900_000, recorded: 900_000, in: folder)
        }

        try await withService(folder: folder, time: time) { service in
            let download = try await service.wait(id, .completed, .failed)

            #expect(download.state == .completed)
            #expect(content.matches(fileAt: folder("downloads/a.bin")))
        }
        #expect(mirror.requests.map { $0.value(of: "range") } == ["bytes=900000-1499999"])
    }
}

/// What a service that is about to stop leaves alone.
@Suite(.hangLimit)
struct ShutdownTests {
    @Test func aQueuedDownloadStaysQueuedAfterARestart() async throws {
        let gate = Signal()
        let origin = Origin(Content(size: 1000), script: [.pace(.stallBeforeHead(until: gate)), .good])
        defer { origin.stop() }
        let folder = TemporaryFolder()
        let time = ManualTime()
        let id = try await withService(.with { $0.jobs.maxConcurrent = 1 }, folder: folder, time: time) { service in
            let first = try await service.add(origin.url("/a.bin"))
            await origin.requests(atLeast: 1)
            let second = try await service.add(origin.url("/b.bin"))
            service.running.beginShutdown()
            gate.fire()
            // The place that it had is free.
            try await service.wait(first, .completed)
            try await service.hasNoWorkers()
            // A second of what would wake the scheduler.
            try await service.act("pause", on: second)
            try await service.act("resume", on: second)
            return second
        }

        #expect(origin.requests.count == 1)
        try await withService(folder: folder, time: time) { service in
            let attempts = try await service.wait(id, .completed).attempts
            #expect(attempts.count == 1)
        }
    }
}
