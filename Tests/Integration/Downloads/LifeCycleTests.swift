import API
import Core
import HTTPFields
import Service
import ServiceSupport
import Store
import TestSupport
import Testing

@Suite(.hangLimit)
struct LifeCycleTests {
    private static let half: Int64 = 1 << 20

    /// Sends half a file of 2 MiB, and nothing more on that connection.
    private static func halting() -> (origin: Origin, content: Content) {
        let content = Content(seed: 3, size: 2 * half)
        return (Origin(content, script: [.pace(.stall(after: half, until: Signal())), .good]), content)
    }

    @Test(arguments: [0, 1, 1000, 3 << 20])
    func aDownloadCompletesWithTheRightBytesAndDigest(_ size: Int64) async throws {
        let content = Content(seed: 5, size: size)
        let origin = Origin(content)
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"), #","directory":"in/here""#)
            let download = try await service.wait(id, .completed, .failed)

            #expect(download.state == .completed)
            #expect(download.file?.path == "in/here/a.bin")
            #expect(download.file?.digests.map(\.algorithm) == [.sha256])
            #expect(content.matches(fileAt: service.folder("downloads/in/here/a.bin")))
            #expect(try service.parts == [])
        }
    }

    @Test func aPauseKeepsTheBytesAndResumeGoesOnAtTheSameByte() async throws {
        let (origin, content) = Self.halting()
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.wait(id, receives: Self.half)

            #expect(try await service.act("pause", on: id).json["state"]?.text == "paused")
            try await service.wait(id, receives: Self.half)
            #expect(try service.parts == ["\(id).g1.part"])
            #expect(try await service.act("resume", on: id).status == 200)
            let download = try await service.wait(id, .completed, .failed)

            #expect(download.state == .completed)
            #expect(origin.requests.map { $0.value(of: "range") } == [nil, "bytes=\(Self.half)-\(2 * Self.half - 1)"])
            #expect(content.matches(fileAt: service.folder("downloads/a.bin")))
        }
    }

    @Test func aCancelRemovesThePart() async throws {
        let (origin, _) = Self.halting()
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.wait(id, receives: Self.half)

            #expect(try await service.act("cancel", on: id).json["state"]?.text == "cancelled")
            try await service.hasNoParts()
            #expect(try await service.show(id)["progress"]?["received_bytes"]?.integer == 0)
            #expect(try service.files == [])
        }
    }

    @Test func aCancelledDownloadWhoseBytesWereKeptGoesOnInItsSecondRun() async throws {
        let (origin, content) = Self.halting()
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.wait(id, receives: Self.half)
            try await service.advanceClock(by: .seconds(1)) {
                try await service.record(id).progress.durableBytes > 0 ? () : nil
            }

            let cancelled = try await service.send(
                "PATCH",
                "/downloads/\(id)",
                #"{"action":"cancel","keep_partial":true}"#
            )
            #expect(try cancelled.json["state"]?.text == "cancelled")
            try await service.hasNoWorkers()
            let stored = try await service.record(id).progress.durableBytes
            #expect(stored > 0)
            #expect(try await service.act("retry", on: id).json["counters"]?["run"]?.integer == 2)
            let download = try await service.wait(id, .completed, .failed)

            #expect(download.run == 2)
            #expect(origin.requests.last?.value(of: "range") == "bytes=\(stored)-\(2 * Self.half - 1)")
            #expect(content.matches(fileAt: service.folder("downloads/a.bin")))
        }
    }

    @Test func aSecondRunThatBeginsFromNothingTakesTheNameThatTheOriginGivesNow() async throws {
        let first = Behaviour {
            $0.pace = .stall(after: Self.half, until: Signal())
            $0.extraFields = ["Content-Disposition: attachment; filename=old.bin"]
        }
        let second = Behaviour { $0.extraFields = ["Content-Disposition: attachment; filename=new.bin"] }
        let origin = Origin(Content(size: 2 * Self.half), script: [first, second])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await Self.cancelHalfway(id, service) { $0.source.suggestedName == "old.bin" }
            #expect(try await service.record(id).source.suggestedName == nil)

            try await service.act("retry", on: id)
            let download = try await service.wait(id, .completed, .failed)

            #expect(download.attempts.restarts == 0)
            #expect(try service.files == ["new.bin"])
        }
    }

    /// Cancels a download that stands still at its half, once something of it is recorded, and waits until it is over.
    private static func cancelHalfway(
        _ id: String,
        _ service: TestService,
        once isRecorded: (Download) -> Bool
    ) async throws {
        try await service.wait(id, receives: half)
        try await service.advanceClock(by: .seconds(1)) { isRecorded(try await service.record(id)) ? () : nil }
        try await service.act("cancel", on: id)
        try await service.hasNoWorkers()
    }

    /// The bytes are gone, and what the file was is not forgotten.
    @Test(arguments: [Behaviour.page(200), Behaviour { $0.response = .raw(Array("HTTP/1.1 204 None\r\n\r\n".utf8)) }])
    func aPortalsPageIsNotTheFileOfACancelledDownload(portal: Behaviour) async throws {
        let content = Content(seed: 3, size: 2 * Self.half)
        let stalled = Behaviour.pace(.stall(after: Self.half, until: Signal()))
        let origin = Origin(content, script: [stalled, portal, .good])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await Self.cancelHalfway(id, service) { $0.progress.durableBytes > 0 }

            try await service.act("retry", on: id)
            let waiting = try await service.wait(id, .waiting, .completed, .failed)
            #expect(waiting.state == .waiting)
            #expect(waiting.error?.error.code == .badResponse)
            #expect(try service.files.isEmpty)
            let download = try await service.advanceClock(by: .seconds(20), until: id, .completed, .failed)

            #expect(download.state == .completed)
            #expect(content.matches(fileAt: service.folder("downloads/a.bin")))
        }
    }

    /// Whoever gives another URL may want a page.
    @Test func aPageFromAnotherURLIsTheFileOfACancelledDownload() async throws {
        let (origin, _) = Self.halting()
        defer { origin.stop() }
        origin.serve("/page", Content(size: 10), script: [.page(200)])
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await Self.cancelHalfway(id, service) { $0.progress.durableBytes > 0 }

            let edit = "{\"action\":\"retry\",\"url\":\"\(origin.url("/page"))\"}"
            #expect(try await service.send("PATCH", "/downloads/\(id)", edit).status == 200)
            let download = try await service.wait(id, .completed, .failed, .waiting)

            #expect(download.state == .completed)
        }
    }

    @Test func aFailedDownloadIsTakenUpAgainByRetry() async throws {
        let origin = Origin(Content(size: 100), script: [.page(400), .good])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            #expect(try await service.wait(id, .failed).run == 1)

            #expect(try await service.act("retry", on: id).status == 200)
            let download = try await service.wait(id, .completed)

            #expect(download.run == 2)
            #expect(download.error == nil)
        }
    }

    @Test func aDownloadThatDoesNotStartWaitsForItsUser() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        try await withService { service in
            let paused = try await service.add(origin.url("/paused"), #","start":false"#)
            let other = try await service.add(origin.url("/other"))
            try await service.wait(other, .completed)

            #expect(try await service.show(paused)["state"]?.text == "paused")
            #expect(origin.requests.map(\.path) == ["/other"])
            try await service.act("resume", on: paused)
            try await service.wait(paused, .completed)
        }
    }

    @Test func aSecondDownloadWithTheSameDedupeKeyIsTheFirst() async throws {
        let origin = Origin(Content(size: 100), script: [.page(400), .good])
        defer { origin.stop() }
        try await withService { service in
            let body = #"{"url":"\#(origin.url("/a"))","dedupe_key":"k"}"#
            let failed = try await service.send("POST", "/downloads", body)
            let id = try #require(try failed.json["id"]?.text)
            try await service.wait(id, .failed)

            let second = try await service.send("POST", "/downloads", body)
            let third = try await service.send("POST", "/downloads", body)

            #expect(second.status == 201)
            #expect(try second.json["id"]?.text != id)
            #expect(third.status == 200)
            #expect(try third.json["id"] == second.json["id"])
        }
    }

    @Test func twoDownloadsOfOneNameAreTwoFiles() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        try await withService { service in
            let first = try await service.add(origin.url("/a.bin"))
            try await service.wait(first, .completed)
            let second = try await service.add(origin.url("/a.bin"))
            try await service.wait(second, .completed)

            #expect(try service.files == ["a (1).bin", "a.bin"])
        }
    }

    @Test func aPublishingDownloadRefusesPauseAndCancel() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let id = try await service.add("http://a.example/a.bin")
            let left = try await OrphanedClaim.claim(in: service.store, now: service.time.now)
            try await left.publish("a.bin", Content(size: 10), in: service.folder)

            for action in ["pause", "cancel"] {
                let response = try await service.act(action, on: id)
                #expect(response.status == 409)
                #expect(response.problem == "invalid-transition")
                #expect(try response.json["allowed_actions"]?.items == [])
            }
            let deleted = try await service.send("DELETE", "/downloads/\(id)?force=true")
            #expect(deleted.status == 409)
            #expect(deleted.problem == "busy")
            #expect(deleted["retry-after"] == "1")
        }
    }
}
