import Model
import ServiceSupport
import Store
import TestSupport
import Testing
import Wire

/// A record that this version cannot read, in a service that has others to take care of.
@Suite(.timeLimit(.minutes(5)))
struct UnreadableTests {
    private let folder = TemporaryFolder()
    private let time = ManualTime()

    @Test func theServiceLeavesItAloneAndGoesOn() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        let id = try await LeftBehind.make(origin.url("/bad"), in: folder, now: time.now) { _ in }
        let prepare: @Sendable (Store) async throws -> Void = { store in
            try await store.execute("UPDATE download SET filename = 'a/b'")
        }

        try await withService(.with { $0.prepare = prepare }, folder: folder, time: time) { service in
            try await service.wait(try await service.add(origin.url("/good")), .completed)
            let list = try await service.send("GET", "/downloads")
            let answers = [
                try await service.send("GET", "/downloads/\(id)"), try await service.act("pause", on: id),
            ]

            #expect(list.status == 200)
            #expect(try list.json["items"]?.items.count == 1)
            for answer in answers {
                #expect(answer.status == 500)
                #expect(answer.problem == "internal")
                #expect(try answer.json["detail"]?.text?.contains("unreadable") == true)
                #expect(!answer.text.contains("separator"))
            }
            let reports = service.logs.lines.filter { $0.contains("is unreadable: it is left alone") }
            #expect(reports.count == 1)
            #expect(reports.allSatisfy { $0.hasPrefix("error") && $0.contains(id) })
        }
    }

    @Test func itKeepsNoOtherFileFromBeingMissed() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        let removed = try await withService(folder: folder, time: time) { service in
            try await service.wait(try await service.add(origin.url("/bad.bin")), .completed)
            let removed = try await service.add(origin.url("/removed.bin"))
            try await service.wait(removed, .completed)
            return removed
        }
        folder.remove("downloads/removed.bin")
        let prepare: @Sendable (Store) async throws -> Void = { store in
            try await store.execute("UPDATE download SET filename = 'a/b' WHERE file_path = 'bad.bin'")
        }

        try await withService(.with { $0.prepare = prepare }, folder: folder, time: time) { service in
            let event = try await service.poll {
                try await service.send("GET", "/events?types=download.file_missing").json["items"]?.items.first
            }
            #expect(event["data"]?["id"]?.text == removed)
        }
    }
}
