import Model
import ServiceSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct JanitorTests {
    @Test func oldRecordsGoAndTheirFilesStay() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            let end = try #require(try await service.wait(id, .completed).times.finishedAt)

            try await service.turnClock(by: .seconds(43_200)) {
                try await service.send("GET", "/downloads/\(id)").status == 404 ? () : nil
            }

            #expect(service.time.now >= end + .seconds(30 * 86_400))
            #expect(try service.files == ["a.bin"])
        }
    }

    @Test func theBytesOfAFailedDownloadGoBeforeItsRecord() async throws {
        let origin = Origin(Content(size: 1000), script: [.dropping(after: 500), .page(400)])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url("/a.bin"))
            let failed = try await service.turnClock(by: .seconds(1), until: id, .failed)
            #expect(failed.progress.durableBytes == 500)
            #expect(try service.parts == ["\(id).g1.part"])

            try await service.turnClock(by: .seconds(43_200)) { try service.parts.isEmpty ? () : nil }

            #expect(service.time.now >= (try #require(failed.times.finishedAt)) + .seconds(7 * 86_400))
            let record = try await service.record(id)
            #expect(record.state == .failed)
            #expect(record.progress.durableBytes == 0)
        }
    }
}
