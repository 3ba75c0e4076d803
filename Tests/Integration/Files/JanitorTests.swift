import Core
import ServiceSupport
import TestSupport
import Testing

@Suite(.hangLimit)
struct JanitorTests {
    @Test func aRecordStaysAsLongAsItsFileAndGoesOnceThatWasRemoved() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let retained = try await service.add(origin.url("/a.bin"))
            let removed = try await service.add(origin.url("/b.bin"))
            try await service.wait(retained, .completed)
            let end = try #require(try await service.wait(removed, .completed).times.finishedAt)
            service.folder.remove("downloads/b.bin")

            try await service.advanceClock(by: .seconds(43_200)) {
                try await service.send("GET", "/downloads/\(removed)").status == 404 ? () : nil
            }

            #expect(service.time.now >= end + .seconds(30 * 86_400))
            #expect(try service.files == ["a.bin"])
            for _ in 0..<20 {
                // The janitor, and whoever follows the schedule of the rate.
                await service.time.sleepers(atLeast: 2)
                service.time.advance(by: .seconds(43_200))
            }
            #expect(try await service.send("GET", "/downloads/\(retained)/file").status == 200)
            service.folder.remove("downloads/a.bin")
            try await service.advanceClock(by: .seconds(3600)) {
                try await service.send("GET", "/downloads/\(retained)").status == 404 ? () : nil
            }
        }
    }

    @Test func theRecordOfAFileThatAnotherDownloadReplacedGoes() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let old = try await service.add(origin.url("/a.bin"))
            try await service.wait(old, .completed)
            let new = try await service.add(origin.url("/a.bin"), #","on_conflict":"overwrite""#)
            try await service.wait(new, .completed)

            try await service.advanceClock(by: .seconds(43_200)) {
                try await service.send("GET", "/downloads/\(old)").status == 404 ? () : nil
            }

            #expect(try await service.send("GET", "/downloads/\(new)/file").status == 200)
        }
    }

    /// A machine without a battery begins in another year, and is told the time some minutes later.
    @Test func aClockThatIsFarAheadAtTheStartPurgesNothing() async throws {
        let (folder, time) = (TemporaryFolder(), ManualTime())
        let id = try await withService(.with { $0.runsScheduler = false }, folder: folder, time: time) { service in
            let id = try await service.add("http://a.example/a")
            try await service.act("cancel", on: id)
            return id
        }
        time.setWall(by: .seconds(10 * 365 * 86_400))

        try await withService(.with { $0.runsScheduler = false }, folder: folder, time: time) { service in
            let other = try await service.add("http://a.example/b")
            try await service.act("cancel", on: other)
            for _ in 0..<60 {
                await time.sleepers(atLeast: 2)
                time.advance(by: .seconds(60))
            }
            #expect(try await service.send("GET", "/downloads/\(id)").status == 200)
            // Nobody has set the clock back for a day: it is right.
            try await service.advanceClock(by: .seconds(3600)) {
                try await service.send("GET", "/downloads/\(id)").status == 404 ? () : nil
            }
            #expect(time.elapsed >= .seconds(86_400))
        }
    }

    /// What was recorded by the wrong clock proves nothing after a restart.
    @Test func aRestartUnderAClockThatIsFarAheadPurgesNothing() async throws {
        let (folder, time) = (TemporaryFolder(), ManualTime())
        let options = TestService.Options.with { $0.runsScheduler = false }
        let id = try await withService(options, folder: folder, time: time) { service in
            let id = try await service.add("http://a.example/a")
            try await service.act("cancel", on: id)
            return id
        }
        time.setWall(by: .seconds(10 * 365 * 86_400))
        try await withService(options, folder: folder, time: time) { service in
            try await service.act("cancel", on: service.add("http://a.example/b"))
        }

        try await withService(options, folder: folder, time: time) { service in
            for _ in 0..<60 {
                await time.sleepers(atLeast: 1)
                time.advance(by: .seconds(60))
            }
            let status = try await service.send("GET", "/downloads/\(id)").status
            #expect(status == 200)
        }
    }

    /// It may take another name yet, or fail.
    @Test func aDownloadThatIsBeingPublishedTakesNoRecordFromTheFileOfItsName() async throws {
        let (folder, time) = (TemporaryFolder(), ManualTime())
        let content = Content(size: 1000)
        let origin = Origin(content)
        defer { origin.stop() }
        let id = try await withService(folder: folder, time: time) { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.wait(id, .completed)
            return id
        }
        _ = try await OrphanedClaim.make(origin.url("/other"), in: folder, now: time.now) { left in
            try await left.publish("a.bin", content, in: folder)
        }

        try await withService(.with { $0.runsScheduler = false }, folder: folder, time: time) { service in
            for _ in 0..<100 {
                await time.sleepers(atLeast: 1)
                time.advance(by: .seconds(43_200))
            }
            let status = try await service.send("GET", "/downloads/\(id)").status
            #expect(status == 200)
        }
    }

    /// The walk goes on behind it.
    @Test func aFileThatCannotBeExaminedKeepsNoOtherFromBeingMissed() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let first = try await service.add(origin.url("/a.bin"))
            try await service.wait(first, .completed)
            // Its id is the greater one.
            service.time.advance(by: .milliseconds(1))
            let second = try await service.add(origin.url("/b.bin"))
            try await service.wait(second, .completed)
            // No file system has such a name: ENAMETOOLONG, and no ENOENT.
            let name = String(repeating: "n", count: 300)
            try await service.store.execute("UPDATE download SET file_path = '\(name)' WHERE id = '\(first)'")
            service.folder.remove("downloads/b.bin")

            try await service.advanceClock(by: .seconds(600)) {
                let items = try await service.send("GET", "/downloads").json["items"]?.items ?? []
                let item = items.first { $0["id"]?.text == second }
                return item?["file"]?["available"]?.bool == false ? () : nil
            }
        }
    }

    @Test func theBytesOfAFailedDownloadGoBeforeItsRecord() async throws {
        let origin = Origin(Content(size: 1000), script: [.dropping(after: 500), .page(400)])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            let failed = try await service.advanceClock(by: .seconds(1), until: id, .failed)
            #expect(failed.progress.durableBytes == 500)
            #expect(try service.parts == ["\(id).g1.part"])

            try await service.advanceClock(by: .seconds(43_200)) { try service.parts.isEmpty ? () : nil }

            #expect(service.time.now >= (try #require(failed.times.finishedAt)) + .seconds(7 * 86_400))
            let record = try await service.record(id)
            #expect(record.state == .failed)
            #expect(record.progress.durableBytes == 0)
        }
    }
}
