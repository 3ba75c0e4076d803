import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// Origins that are gone, that stop at the same byte, and that send what no document can hold as it is.
@Suite(.hangLimit)
struct OutageTests {
    @Test func aDownloadIsFetchedOnceItsOriginIsThere() async throws {
        let origin = Origin(isOpen: false)
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            let waiting = try await service.wait(id, .waiting, .failed)
            #expect(waiting.waitingFor == .retry)
            #expect(waiting.error?.error.code == .connectFailed)
            origin.open()

            let download = try await service.advanceClock(by: .seconds(1), until: id, .completed, .failed)

            #expect(download.state == .completed)
            #expect(origin.requests.count == 1)
        }
    }

    @Test(arguments: [3600, 40 * 86_400])
    func aClockThatIsSetBackStallsNoRetry(by seconds: Int64) async throws {
        let origin = Origin(isOpen: false)
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.wait(id, .waiting)
            origin.open()
            service.time.setWall(by: .seconds(-seconds))
            let begin = service.time.elapsed

            try await service.advanceClock(by: .seconds(1), until: id, .completed, .failed)

            // Its own delay, a minute until the clock is looked at, and what a busy machine turns the clock meanwhile.
            #expect(service.time.elapsed - begin <= .seconds(900))
        }
    }

    @Test func aRetryThatWasDueBeforeTheClockWasSetBackBeginsWithTheNextStart() async throws {
        let origin = Origin(isOpen: false)
        defer { origin.stop() }
        let (folder, time) = (TemporaryFolder(), ManualTime())
        let id = try await withService(folder: folder, time: time) { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.wait(id, .waiting)
            return id
        }
        time.setWall(by: .seconds(-86_400))
        origin.open()

        try await withService(folder: folder, time: time) { service in try await service.wait(id, .completed) }
    }

    @Test func anOriginThatAlwaysStopsAtTheSameByteIsGivenUpAfterItsTime() async throws {
        let origin = Origin(script: [.dropping(after: 500), .dropping(after: 0)])
        defer { origin.stop() }
        try await withService(.with { $0.jobs.giveUpAfter = .seconds(600) }) { service in
            let start = service.time.now
            let id = try await service.add(origin.url("/a.bin"))

            let download = try await service.advanceClock(by: .seconds(10), until: id, .failed, .completed)

            #expect(download.error?.error.code == .connectFailed)
            #expect(service.time.now >= start + .seconds(600))
            #expect(download.progress.durableBytes == 500)
            #expect((3...100).contains(origin.requests.count))
            #expect(origin.requests.dropFirst().allSatisfy { $0.value(of: "range") == "bytes=500-999" })
        }
    }

    @Test func hostileFieldsLeaveADocumentThatCanBeRead() async throws {
        let origin = Origin(
            script: [
                Behaviour {
                    $0.validators = .etag("\"a\u{E9}\\\u{FFFE}\"")
                    $0.contentType = "text/x\"\\\u{1}\u{FF}"
                    $0.extraFields = [
                        "Content-Disposition: attachment; filename=\"\\\"\u{1}\u{202E}\u{85}.bin\"",
                        "Content-Encoding: \"\\\u{1F}\u{FF}\"",
                    ]
                }
            ]
        )
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.wait(id, .completed, .failed)

            let response = try await service.send("GET", "/downloads/\(id)")

            #expect(response.status == 200)
            #expect(String(validating: response.body, as: UTF8.self) != nil)
            #expect(response.body.allSatisfy { $0 >= 0x20 })
            #expect(try response.json["state"]?.text == "completed")
        }
    }
}
