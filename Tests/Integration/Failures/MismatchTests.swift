import Core
import HTTPFields
import ServiceSupport
import TestSupport
import Testing

/// A file that is not what its digest says costs one clean attempt, whatever happens in between.
@Suite(.hangLimit)
struct MismatchTests {
    /// Too small to be divided, so the number of requests does not depend on the machine.
    private static let content = Content(size: 3 << 19)
    private static let wrong = "Repr-Digest: sha-256=:\(String(repeating: "A", count: 43))=:"

    private func with(
        _ script: [Behaviour],
        _ body: (TestService, Origin) async throws -> Void
    ) async throws {
        let origin = Origin(Self.content, script: script)
        defer { origin.stop() }
        try await withService { try await body($0, origin) }
    }

    @Test func theFileIsFetchedAnewOnceAndThenFails() async throws {
        try await with([.fields([Self.wrong])]) { service, origin in
            let id = try await service.add(origin.url("/a"))
            let download = try await service.advanceClock(by: .seconds(10), until: id, .failed, .completed)

            #expect(download.error?.error.code == .checksumMismatch)
            #expect(download.error?.error.message.contains(String(repeating: "0", count: 64)) == true)
            #expect(download.generation == 2)
            #expect(download.attempts.mismatches == 2)
            #expect(origin.requests.map { $0.value(of: "range") } == [nil, nil])
            #expect(try service.files == [])
        }
    }

    @Test func aRightFileTheSecondTimeCompletes() async throws {
        try await with([.fields([Self.wrong]), .good]) { service, origin in
            let id = try await service.add(origin.url("/a.bin"))
            let download = try await service.advanceClock(by: .seconds(10), until: id, .failed, .completed)

            #expect(download.state == .completed)
            #expect(download.generation == 2)
            #expect(download.source.digests == [])
            #expect(try service.files == ["a.bin"])
        }
    }

    @Test func aRetryByTheUserGetsACleanAttemptOfItsOwn() async throws {
        try await with([.fields([Self.wrong]), .fields([Self.wrong]), .good]) { service, origin in
            let id = try await service.add(origin.url("/a.bin"))
            _ = try await service.advanceClock(by: .seconds(10), until: id, .failed)

            try await service.act("retry", on: id)

            let download = try await service.advanceClock(by: .seconds(10), until: id, .failed, .completed)
            #expect(download.state == .completed)
            #expect(download.run == 2)
        }
    }

    @Test func anotherFailureInBetweenIsNoSecondChance() async throws {
        let wrong = Behaviour.fields([Self.wrong])
        let cut = Behaviour {
            $0.ending = .cut(after: 1 << 20, by: .reset)
            $0.extraFields = [Self.wrong]
        }
        try await with([wrong, cut, wrong]) { service, origin in
            let id = try await service.add(origin.url("/a"))
            let download = try await service.advanceClock(by: .seconds(10), until: id, .failed, .completed)

            #expect(download.error?.error.code == .checksumMismatch)
            #expect(origin.requests.count == 3)
        }
    }

    @Test func aRestartOfTheServiceIsNoSecondChance() async throws {
        let (folder, time) = (TemporaryFolder(), ManualTime())
        let origin = Origin(Self.content, script: [.fields([Self.wrong])])
        defer { origin.stop() }
        let id = try await withService(folder: folder, time: time) { service in
            let id = try await service.add(origin.url("/a"))
            let waiting = try await service.wait(id, .waiting)
            #expect(waiting.attempts.mismatches == 1)
            return id
        }

        try await withService(folder: folder, time: time) { service in
            let download = try await service.advanceClock(by: .seconds(10), until: id, .failed, .completed)

            #expect(download.error?.error.code == .checksumMismatch)
            #expect(origin.requests.count == 2)
        }
    }
}
