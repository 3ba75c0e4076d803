import Jobs
import Model
import ServiceSupport
import TestSupport
import Testing

@testable import Store

/// A disk that takes no further record.
@Suite(.timeLimit(.minutes(5)))
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
    func whatMayNotGoFirstStays(_ query: String) async throws {
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
            service.live.beginDraining()
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
            let answer = try await service.send("PATCH", "/downloads/\(id)", cancel)

            #expect(answer.status == 200, Comment(rawValue: answer.text))
            try await service.store.emptyDisk()
        }
    }
}
