import Core
import Linux
import Service
import ServiceSupport
import TestSupport
import Testing
import Transfer

@testable import Store

/// A real file system that is full. Each test fills one of its own.
@Suite(.enabled(if: SmallDisk.isAllowed, Comment(rawValue: SmallDisk.reason)), .hangLimit)
struct SmallDiskTests {
    private static let mebibyte: Int64 = 1 << 20
    private static let content = Content(size: 8 * mebibyte)

    private static func options(_ minFree: Int64) -> TestService.Options {
        .with { $0.engine.minFreeBytes = minFree }
    }

    @Test func aDownloadWithoutSpaceWaitsWithoutRequestsAndContinuesWhenSpaceIsFree() async throws {
        let disk = try SmallDisk(bytes: 32 * Self.mebibyte)
        let origin = Origin(Self.content)
        defer { origin.stop() }
        disk.fill("ballast", bytes: 20 * Self.mebibyte)
        try await withService(Self.options(6 * Self.mebibyte), folder: disk.folder) { service in
            let id = try await service.add(origin.url("/a.bin"))
            let waiting = try await service.wait(id, .waiting, .failed)
            #expect(waiting.waitingFor == .space)
            #expect(waiting.error?.error.code == .diskFull)

            try await poll("short space", because: .counter) { service.engine.isSpaceShort }
            disk.fill("more", bytes: 6 * Self.mebibyte)
            try await service.act("resume", on: id)
            try await service.wait(id, .waiting, .failed)
            // Below the low mark: nothing is asked of anyone, and what comes stays in the queue.
            let second = try await service.add(origin.url("/b.bin"))
            let before = origin.requests.count
            for _ in 0..<30 { service.time.advance(by: .seconds(5)) }
            #expect(origin.requests.count == before)
            #expect(try await service.record(second).state == .queued)
            #expect(try await service.show(second)["waiting_for"]?.text == "space")

            disk.remove("ballast")
            for id in [id, second] { try await service.advanceClock(by: .seconds(5), until: id, .completed, .failed) }
            #expect(try service.files == ["a.bin", "b.bin"])
            #expect(Self.content.matches(fileAt: disk.folder("downloads/a.bin")))
        }
    }

    /// The only download that waited for room is gone, and those in the queue wait for it.
    @Test func theQueueGoesOnOnceThereIsRoomThoughNoDownloadOfItWaitedForIt() async throws {
        let disk = try SmallDisk(bytes: 32 * Self.mebibyte)
        let origin = Origin(Self.content)
        defer { origin.stop() }
        disk.fill("ballast", bytes: 26 * Self.mebibyte)
        try await withService(Self.options(6 * Self.mebibyte), folder: disk.folder) { service in
            let first = try await service.add(origin.url("/a.bin"))
            try await service.wait(first, .waiting, .failed)
            try await poll("short space", because: .counter) { service.engine.isSpaceLow }
            let second = try await service.add(origin.url("/b.bin"))
            try await service.act("cancel", on: first)
            disk.remove("ballast")

            try await service.advanceClock(by: .seconds(5), until: second, .completed, .failed)
            #expect(try service.files == ["b.bin"])
        }
    }

    /// A body of unknown length, for which no room can be taken beforehand: there is some left when it stops.
    @Test func aBodyThatHasNoMoreRoomWaitsWithItsBytesAndGoesOnOnceThereIsSome() async throws {
        let disk = try SmallDisk(bytes: 16 * Self.mebibyte)
        let origin = Origin(Self.content, script: [.framing(.chunked)])
        defer { origin.stop() }
        disk.fill("ballast", bytes: 10 * Self.mebibyte)
        try await withService(Self.options(2 * Self.mebibyte), folder: disk.folder) { service in
            let id = try await service.add(origin.url("/a.bin"))
            let waiting = try await service.wait(id, .waiting, .failed)

            #expect(waiting.waitingFor == .space)
            #expect(waiting.error?.error.code == .diskFull)
            #expect(waiting.progress.durableBytes > 0)
            // The record of the wait itself takes some pages of the database's log.
            #expect(try Directory(path: disk.folder.path).freeBytes() >= 2 * Self.mebibyte - Self.mebibyte / 4)
            disk.remove("ballast")
            try await service.advanceClock(by: .seconds(5), until: id, .completed, .failed)
            #expect(Self.content.matches(fileAt: disk.folder("downloads/a.bin")))
        }
    }

    /// Five bodies of unknown length, of which any three fit.
    @Test func partsOfUnknownLengthDoNotHoldTheSpaceFromOneAnother() async throws {
        let disk = try SmallDisk(bytes: 38 * Self.mebibyte)
        let gate = Signal()
        let origin = Origin(
            Self.content,
            script: [
                Behaviour {
                    $0.framing = .chunked
                    $0.pace = .stall(after: 5 * Self.mebibyte, until: gate)
                }
            ]
        )
        defer { origin.stop() }
        try await withService(Self.options(2 * Self.mebibyte), folder: disk.folder) { service in
            var ids: [String] = []
            for index in 0..<5 { ids.append(try await service.add(origin.url("/\(index).bin"))) }
            for id in ids { try await service.wait(id, receives: 5 * Self.mebibyte) }
            gate.fire()
            let completed = try await service.advanceClock(by: .seconds(5)) {
                let files = try service.files
                return files.count >= 3 ? files : nil
            }
            for name in completed { #expect(Self.content.matches(fileAt: disk.folder("downloads/\(name)"))) }
            let events = try await service.store.events(EventFilter(), after: nil, limit: 500).events
            let restarts = events.filter { $0.type == .downloadRestarted }
            #expect(!restarts.isEmpty)
            for event in restarts { #expect(String(decoding: event.body, as: UTF8.self).contains("disk_full")) }
        }
    }

    @Test func aDatabaseWithoutRoomRefusesWhatIsNewAndIsReadAsBefore() async throws {
        let disk = try SmallDisk(bytes: 16 * Self.mebibyte)
        try await withService(.with { $0.runsScheduler = false }, folder: disk.folder) { service in
            let body = #"{"url":"http://a.example/","metadata":{"x":"\#(String(repeating: "x", count: 15_000))"}}"#
            let id = try await service.add("http://a.example/f")
            disk.fill("ballast")
            var statuses: [Int] = []
            while statuses.last != 507 && statuses.count < 1000 {
                statuses.append(try await service.send("POST", "/downloads", body).status)
            }
            let counted = try await service.show(id)

            #expect(statuses.last == 507)
            #expect(counted["state"]?.text == "queued")
            disk.remove("ballast")
            #expect(try await service.send("POST", "/downloads", body).status == 201)
        }
    }

    @Test func aFileSystemWithoutInodesIsAFullOne() async throws {
        let disk = try SmallDisk(bytes: 32 * Self.mebibyte, inodes: 64)
        let origin = Origin(Self.content)
        defer { origin.stop() }
        try await withService(Self.options(0), folder: disk.folder) { service in
            disk.fillInodes("ballast")
            let id = try await service.add(origin.url("/a.bin"))
            #expect(try await service.wait(id, .waiting, .failed).waitingFor == .space)

            disk.removeFolder("ballast")
            try await service.advanceClock(by: .seconds(5), until: id, .completed, .failed)
        }
    }

    /// The whole file is there, and its folder cannot be made.
    @Test func aFileWhoseFolderFindsNoRoomIsPublishedOnceThereIsSome() async throws {
        let gate = Signal()
        let disk = try SmallDisk(bytes: 32 * Self.mebibyte, inodes: 64)
        let origin = Origin(Self.content, script: [.pace(.stall(after: Self.mebibyte, until: gate)), .good])
        defer { origin.stop() }
        try await withService(Self.options(0), folder: disk.folder) { service in
            let id = try await service.add(origin.url("/a.bin"), #","directory":"deep/folder""#)
            try await service.wait(id, receives: Self.mebibyte)
            disk.fillInodes("ballast")
            gate.fire()
            let waiting = try await service.wait(id, .waiting, .failed)
            #expect(waiting.waitingFor == .space)

            disk.removeFolder("ballast")
            try await service.advanceClock(by: .seconds(5), until: id, .completed, .failed)
            #expect(Self.content.matches(fileAt: disk.folder("downloads/deep/folder/a.bin")))
        }
    }
}

/// A disk that takes no further record.
@Suite(.hangLimit)
struct FullDiskTests {
    /// The database grows no further until `isFull` is false again.
    private static func setFull(_ isFull: Bool, _ service: TestService) async throws {
        try await service.store.writer.write { transaction in
            // The least that it can be is what is there.
            try transaction.execute("PRAGMA max_page_count = \(isFull ? 1 : 1_000_000)", [])
        }
    }

    private static let metadata = #","metadata":{"x":"\#(String(repeating: "x", count: 16_000))"}"#

    @Test func aDeletionRemovesTheFileFirst() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"), Self.metadata)
            try await service.wait(id, .completed)

            try await Self.setFull(true, service)
            let refused = try await service.send("DELETE", "/downloads/\(id)")

            #expect(refused.status == 507)
            #expect(refused.problem == "insufficient-storage")
            #expect(try service.files == [])
            #expect(try await service.send("GET", "/downloads/\(id)/file").status == 410)
            try await Self.setFull(false, service)
            #expect(try await service.send("DELETE", "/downloads/\(id)").status == 204)
        }
    }

    @Test(arguments: ["?delete_file=false", "?force=true"])
    func aDeletionThatNeedsItsRecordFirstIsRefusedOnAFullDisk(_ query: String) async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"), Self.metadata)
            try await service.wait(id, .completed)
            let waiting = try await service.add("http://127.0.0.1:1/b", Self.metadata + #","start":false"#)

            try await Self.setFull(true, service)
            let target = query.contains("force") ? waiting : id
            let refused = try await service.send("DELETE", "/downloads/\(target)\(query)")

            #expect(refused.status == 507)
            #expect(try service.files == ["a.bin"])
            try await Self.setFull(false, service)
        }
    }

    /// The worker that is stopped for its bytes makes another revision of the download.
    @Test func aCancellationOfTheExpectedRevisionIsRecordedOnceTheBytesAreGone() async throws {
        let origin = Origin(Content(size: 1000), script: [.pace(.stall(after: 500, until: Signal()))])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.wait(id, receives: 500)
            service.running.beginShutdown()
            for statement in [
                "CREATE TABLE filler (bytes BLOB)",
                // Room for small changes, and for no large one.
                "INSERT INTO filler VALUES (randomblob(262144))", "DELETE FROM filler",
                """
                CREATE TEMP TRIGGER fills AFTER UPDATE ON main.download
                WHEN OLD.state = 'running' AND NEW.state = 'cancelled'
                BEGIN INSERT INTO filler VALUES (randomblob(1048576)); END
                """,
                "PRAGMA main.max_page_count = 1",
            ] {
                try await service.store.execute(statement)
            }
            let revision = try await service.record(id).revision
            let cancel = #"{"action":"cancel","expected_revision":\#(revision)}"#
            let response = try await service.send("PATCH", "/downloads/\(id)", cancel)

            #expect(response.status == 200, Comment(rawValue: response.text))
            try await service.store.emptyDisk()
        }
    }
}
