import API
import Core
import Service
import ServiceSupport
import Store
import TestSupport
import Testing

/// Finished files whose time is over: `keep_files`, `expires_at`, `keep_file_seconds`.
@Suite(.hangLimit)
struct ExpiryTests {
    /// Waits until the file of a download was removed and the removal is recorded.
    private static func expired(_ id: String, in service: TestService) async throws -> Download {
        try await service.advanceClock(by: .seconds(20)) {
            let download = try await service.record(id)
            return download.file?.expiredAt != nil && download.file?.isMissing == true ? download : nil
        }
    }

    @Test func aFileGoesAfterItsTimeAndItsRecordStays() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let kept = try await service.add(origin.url("/a.bin"))
            let id = try await service.add(origin.url("/b.bin"), #","keep_file_seconds":600"#)
            try await service.wait(kept, .completed)
            let end = try #require(try await service.wait(id, .completed).times.finishedAt)
            let before = try await service.request("GET", "/downloads/\(id)").json["file"]
            #expect(before?["available"]?.bool == true && before?["expired_at"] == .null)
            #expect(before?["expires_at"]?.text != nil)

            let file = try await Self.expired(id, in: service).file

            #expect(try #require(file?.expiredAt) >= end + .seconds(600))
            #expect(try service.files == ["a.bin"])
            let shown = try await service.request("GET", "/downloads/\(id)").json
            #expect(shown["state"]?.text == "completed" && shown["keep_file_seconds"]?.integer == 600)
            #expect(shown["file"]?["available"]?.bool == false && shown["file"]?["expired_at"]?.text != nil)
            #expect(try await service.request("GET", "/downloads/\(id)/file").problem == "file-gone")
            let events = try await service.request("GET", "/downloads/\(id)/events").json["items"]?.items ?? []
            let last = try #require(events.last)
            #expect(last["type"]?.text == "file.expired" && last["data"]?["id"]?.text == id)
            #expect(events.filter { $0["type"]?.text == "file.expired" }.count == 1)
        }
    }

    @Test func theSettingDecidesForThoseWithoutAChoice() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService(.with { $0.jobs.purgeAges.files = .zero }) { service in
            let kept = try await service.add(origin.url("/a.bin"), #","keep_file_seconds":"forever""#)
            let id = try await service.add(origin.url("/b.bin"))
            try await service.wait(kept, .completed)
            try await service.wait(id, .completed)

            _ = try await Self.expired(id, in: service)

            #expect(try service.files == ["a.bin"])
            let shown = try await service.request("GET", "/downloads/\(kept)").json
            #expect(shown["keep_file_seconds"]?.text == "forever" && shown["file"]?["available"]?.bool == true)
        }
    }

    /// It belongs to another download, or to nobody.
    @Test(arguments: ["", #","keep_file_seconds":0"#])
    func aFileThatWasThereBeforeStaysWithoutAnEvent(_ choice: String) async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService(.with { $0.jobs.purgeAges.files = .zero }) { service in
            let first = try await service.add(origin.url("/a.bin"), #","keep_file_seconds":"forever""#)
            try await service.wait(first, .completed)
            let skip = #","on_conflict":"skip","expected":{"size_bytes":1000}"#
            let id = try await service.add(origin.url("/a.bin"), skip + choice)
            let last = try await service.add(origin.url("/b.bin"))
            try await service.wait(id, .completed)
            try await service.wait(last, .completed)
            #expect(try await service.request("DELETE", "/downloads/\(first)?delete_file=false").status == 204)

            _ = try await Self.expired(last, in: service)

            #expect(try service.files == ["a.bin"])
            let shown = try await service.request("GET", "/downloads/\(id)").json
            #expect(shown["skipped"]?.bool == true && shown["file"]?["available"]?.bool == true)
            #expect(shown["file"]?["expires_at"] == .null && shown["file"]?["expired_at"] == .null)
            let events = try await service.request("GET", "/downloads/\(id)/events").json["items"]?.items ?? []
            #expect(events.last?["type"]?.text == "download.completed")
        }
    }

    @Test func anotherFileInItsPlaceStays() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"), #","keep_file_seconds":60"#)
            try await service.wait(id, .completed)
            service.folder.write(String(repeating: "x", count: 1000), to: "other")
            service.folder.rename("other", to: "downloads/a.bin")

            _ = try await Self.expired(id, in: service)

            #expect(try service.files == ["a.bin"])
            #expect(try await service.request("DELETE", "/downloads/\(id)").status == 204)
            #expect(try service.files == ["a.bin"])
        }
    }

    @Test func theFileOfALaterDownloadInItsPlaceStays() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"), #","keep_file_seconds":600"#)
            try await service.wait(id, .completed)
            service.folder.remove("downloads/a.bin")
            let other = try await service.add(origin.url("/a.bin"), #","on_conflict":"overwrite""#)
            try await service.wait(other, .completed)

            _ = try await Self.expired(id, in: service)

            #expect(try service.files == ["a.bin"])
            #expect(try await service.request("GET", "/downloads/\(other)/file").status == 200)
        }
    }

    @Test func theTimeOfACompletedDownloadIsChangedAndCleared() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let path = "/downloads/\(try await service.add(origin.url("/a.bin"), #","keep_file_seconds":60"#))"
            try await service.wait(String(path.dropFirst(11)), .completed)

            let later = try await service.request("PATCH", path, #"{"expires_at":"2999-01-01T00:00:00Z"}"#)
            #expect(try later.json["expires_at"]?.text == "2999-01-01T00:00:00.000Z")
            #expect(try later.json["keep_file_seconds"] == .null)
            let same = try await service.request("PATCH", path, #"{"keep_file_seconds":null}"#)
            #expect(try same.json["expires_at"]?.text == "2999-01-01T00:00:00.000Z")
            let cleared = try await service.request("PATCH", path, #"{"expires_at":null}"#)
            #expect(try cleared.json["expires_at"] == .null && cleared.json["file"]?["expires_at"] == .null)
        }
    }

    @Test func anExpiredFileCannotBeKeptLonger() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"), #","keep_file_seconds":0"#)
            try await service.wait(id, .completed)
            _ = try await Self.expired(id, in: service)

            let response = try await service.request("PATCH", "/downloads/\(id)", #"{"keep_file_seconds":60}"#)

            #expect(response.status == 422 && response.pointers == ["/keep_file_seconds"])
        }
    }

    @Test func aSessionHasADefaultForItsDownloads() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let made = try await service.request("PUT", "/sessions/s", #"{"keep_file_seconds":7}"#)
            #expect(try made.json["keep_file_seconds"]?.integer == 7)
            let taken = try await service.add("http://a.example/a", #","session":"s""#)
            let own = try await service.add("http://a.example/b", #","session":"s","keep_file_seconds":"forever""#)
            let changed = try await service.request("PATCH", "/sessions/s", #"{"keep_file_seconds":null}"#)

            #expect(try changed.json["keep_file_seconds"] == .null)
            #expect(try await service.record(taken).request.retention == .after(WholeSeconds(7)))
            #expect(try await service.record(own).request.retention == .forever)
        }
    }

    /// As after a kill between the two commits.
    @Test func aMarkedFileIsRemovedByTheNextProcess() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        let (folder, time) = (TemporaryFolder(), ManualTime())
        let id = try await withService(folder: folder, time: time) { service in
            let id = try await service.add(origin.url("/a.bin"))
            let download = try await service.wait(id, .completed)
            _ = try await service.store.markExpired([download], now: service.time.now)
            #expect(try await service.request("GET", "/downloads/\(id)/file").status == 410)
            return id
        }
        try await withService(folder: folder, time: time) { service in
            _ = try await Self.expired(id, in: service)

            #expect(try service.files.isEmpty)
        }
    }

    @Test func aRecordThatIsNotKeptGoesOnceItsFileHasExpired() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        let options = TestService.Options.with { $0.jobs.purgeAges = PurgeAges(finishedDownloads: .zero) }
        try await withService(options) { service in
            let kept = try await service.add(origin.url("/a.bin"))
            let id = try await service.add(origin.url("/b.bin"), #","keep_file_seconds":0"#)
            try await service.wait(kept, .completed)

            try await service.advanceClock(by: .seconds(20)) {
                try await service.send("GET", "/downloads/\(id)").status == 404 ? () : nil
            }

            #expect(try service.files == ["a.bin"])
            #expect(try await service.send("GET", "/downloads/\(kept)").status == 200)
        }
    }
}
