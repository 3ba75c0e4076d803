import API
import Core
import ServiceSupport
import Store
import TestSupport
import Testing
import Transfer

/// A disk that does not keep what was written to it.
@Suite(.hangLimit)
struct DamageTests {
    private static let block: Int64 = 4 << 20
    private static let content = Content(size: 3 * block)

    @Test func aByteThatChangesDuringAPauseCostsItsBlockAndALineInTheLog() async throws {
        let origin = Origin(Self.content, script: [.pace(.stall(after: 2 * Self.block, until: Signal())), .good])
        defer { origin.stop() }
        let options = TestService.Options.with {
            $0.engine.connections = 1
        }
        try await withService(options) { service in
            let id = try await service.add(origin.url("/a.bin"))
            try await service.wait(id, receives: 2 * Self.block)
            try await service.act("pause", on: id)
            // Its worker records what it has at its end.
            try await service.hasNoWorkers()
            #expect(try await service.record(id).progress.durableBytes == 2 * Self.block)
            service.folder.damage("parts/\(id).g1.part", at: 100)

            try await service.act("resume", on: id)
            let download = try await service.wait(id, .completed, .failed)

            #expect(download.state == .completed)
            #expect(Self.content.matches(fileAt: service.folder("downloads/a.bin")))
            #expect(download.generation == 1)
            let ranges = origin.requests.map { $0.value(of: "range") }
            #expect(ranges == [nil, "bytes=0-4194303", "bytes=8388608-12582911"])
            #expect(service.logs.lines.contains { $0.contains("part file damaged") && $0.contains(id) })
        }
    }
}

/// A record that this version cannot read, in a service that has others to take care of.
@Suite(.hangLimit)
struct UnreadableTests {
    private let folder = TemporaryFolder()
    private let time = ManualTime()

    @Test func theServiceLeavesItAloneAndGoesOn() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        let id = try await OrphanedClaim.make(origin.url("/bad"), in: folder, now: time.now) { _ in }
        let prepare: @Sendable (Store) async throws -> Void = { store in
            try await store.execute("UPDATE download SET filename = 'a/b'")
        }

        try await withService(.with { $0.prepare = prepare }, folder: folder, time: time) { service in
            try await service.wait(try await service.add(origin.url("/good")), .completed)
            let list = try await service.send("GET", "/downloads")
            let responses = [
                try await service.send("GET", "/downloads/\(id)"), try await service.act("pause", on: id),
            ]

            #expect(list.status == 200)
            #expect(try list.json["items"]?.items.count == 1)
            for response in responses {
                #expect(response.status == 500)
                #expect(response.problem == "internal")
                #expect(try response.json["detail"]?.text?.contains("cannot be read") == true)
                #expect(!response.text.contains("separator"))
            }
            let reports = service.logs.lines.filter { $0.contains("record of a download unreadable, skipped") }
            #expect(reports.count == 1)
            #expect(reports.allSatisfy { $0.hasPrefix("error") && $0.contains(id) })
        }
    }

    @Test func anUnreadableRecordDoesNotHideOtherMissingFiles() async throws {
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
            let event = try await service.wait(for: .events) {
                try await service.send("GET", "/events?types=download.file_missing").json["items"]?.items.first
            }
            #expect(event["data"]?["id"]?.text == removed)
        }
    }
}
