import API
import Foundation
import GRDB
import Glibc
import Linux
import ServiceSupport
import TestSupport
import Testing

/// `cormorant backup` and `cormorant check`, beside a running service and without one.
@Suite(.hangLimit)
struct MaintenanceTests {
    private let folder = TemporaryFolder()
    private let content = Content(size: 100_000)

    private func run(_ arguments: String...) async throws -> CommandRun.Result {
        try await CommandRun.result(of: arguments + ["--data-dir", folder("data")])
    }

    /// A service with one finished file and one paused download.
    private func withService(_ body: (ServiceProcess) async throws -> Void) async throws {
        let origin = Origin(content)
        defer { origin.stop() }
        let service = try await ServiceProcess(dataFolder: folder("data"), arguments: ["--min-free-bytes", "0"])
        let client = ServiceClient(port: service.port)
        let id = try #require(
            try await client.post("/downloads", #"{"url":"\#(origin.url("/a.bin"))"}"#).json["id"]?.text
        )
        try await client.wait(id, "state", "completed")
        _ = try await client.post("/downloads", #"{"url":"http://127.0.0.1:9/b","start":false}"#)
        do {
            try await body(service)
        } catch {
            try await service.kill()
            throw error
        }
        #expect(try await service.terminate() == 0)
    }

    private func downloads(in path: String) throws -> Int? {
        try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM download") }
    }

    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test func aBackupOfARunningServiceIsAWholeDatabaseThatServes() async throws {
        try await withService { _ in
            let result = try await run("backup", folder("copy.db"))

            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(result.output.contains("2 downloads") && result.output.contains(folder("data/key")))
        }
        #expect(try permissions(folder("copy.db")) == 0o600)
        #expect(folder.names(in: "").filter { $0.contains("copy.db") } == ["copy.db"])
        #expect(try downloads(in: folder("copy.db")) == 2)

        for name in ["cormorant.db", "cormorant.db-wal", "cormorant.db-shm"] { unlink(folder("data/\(name)")) }
        folder.rename("copy.db", to: "data/cormorant.db")
        let service = try await ServiceProcess(dataFolder: folder("data"), arguments: ["--min-free-bytes", "0"])
        let list = try await ServiceClient(port: service.port).get("/downloads?state=completed").json
        #expect("\(list)".contains("a.bin"))
        #expect(try await service.terminate() == 0)
    }

    @Test func aBackupReplacesAFileOnlyIfItIsTold() async throws {
        try await withService { _ in }
        folder.write("mine", to: "copy.db")

        let refused = try await run("backup", folder("copy.db"))
        #expect(refused.exitCode == 73 && refused.errors.contains("--force"))
        #expect(folder.read("copy.db") == Array("mine".utf8))

        #expect(try await run("backup", "--force", folder("copy.db")).exitCode == 0)
        #expect(try downloads(in: folder("copy.db")) == 2)
    }

    @Test(.enabled(if: CallFaults.isAllowed, Comment(rawValue: CallFaults.reason)))
    func aBackupRemovesWhatAKilledOneHasLeft() async throws {
        try await withService { _ in }
        let faults = CallFaults()
        faults.arm()
        let killed = try await CommandRun.result(
            of: ["backup", folder("copy.db"), "--data-dir", folder("data")],
            environment: try faults.environment(.killBefore, at: CallFaults.Call(kind: .rename, path: folder.path))
        )
        #expect(killed.exitCode == 128 + SIGKILL)
        #expect(folder.names(in: "").contains { $0.hasPrefix(".copy.db.") && $0.hasSuffix(".part") })
        folder.write("of SQLite", to: ".copy.db.0123abcd.part-wal")
        folder.write("mine", to: ".copy.db.notes.part")

        #expect(try await run("backup", folder("copy.db")).exitCode == 0)
        #expect(folder.names(in: "").filter { $0.contains("copy.db") } == [".copy.db.notes.part", "copy.db"])
    }

    @Test(
        .enabled(if: CallFaults.isAllowed, Comment(rawValue: CallFaults.reason)),
        arguments: [".part-wal", ".part-shm"]
    )
    func aFileThatSQLiteCannotRemoveIsRemovedFromBesideTheCopy(_ end: String) async throws {
        try await withService { _ in }
        let faults = CallFaults()
        faults.fail(.unlink, EIO, once: true, on: end)
        let result = try await CommandRun.result(
            of: ["backup", folder("copy.db"), "--data-dir", folder("data")],
            environment: try faults.environment
        )

        #expect(result.exitCode == 0 && faults.hasFailed(.unlink))
        #expect(folder.names(in: "").filter { $0.contains("copy.db") } == ["copy.db"])
    }

    @Test func aSecondBackupToOneFileIsRefused() async throws {
        try await withService { _ in }
        let lock = try FileLock.acquire(".copy.db.lock", in: Directory(path: folder.path))
        let refused = try await run("backup", folder("copy.db"))
        #expect(refused.exitCode == 75 && refused.errors.contains("another backup"))
        lock.release()

        #expect(try await run("backup", folder("copy.db")).exitCode == 0)
        #expect(folder.names(in: "").filter { $0.contains("copy.db") } == ["copy.db"])
    }

    @Test func aBackupNeverTakesThePlaceOfTheDatabase() async throws {
        try await withService { _ in }

        #expect(try await run("backup", "--force", folder("data/cormorant.db")).exitCode == 64)
        #expect(try await run("backup", folder("data")).exitCode == 64)
        #expect(try await run("backup", folder("none/copy.db")).exitCode == 73)
        #expect(try downloads(in: folder("data/cormorant.db")) == 2)
    }

    @Test(arguments: ["backup copy.db", "check"])
    func aFolderWithoutADatabaseIsNamed(_ command: String) async throws {
        var words = command.split(separator: " ").map { String($0) }
        if words.count > 1 { words[1] = folder(words[1]) }
        let result = try await CommandRun.result(of: words + ["--data-dir", folder("data")])

        #expect(result.exitCode == 66)
        #expect(result.errors.contains(folder("data/cormorant.db")) && result.errors.contains("--data-dir"))
        #expect(folder.names(in: "").isEmpty)
    }

    @Test func aCheckOfASoundServiceFindsNothing() async throws {
        try await withService { _ in
            let running = try await run("check", "--digests")

            #expect(running.exitCode == 0, "\(running.output)\(running.errors)")
            #expect(running.output.hasPrefix("2 downloads; 1 files of "))
        }
        let stopped = try await run("check")
        #expect(stopped.exitCode == 0 && stopped.output.hasSuffix("no fault\n"), "\(stopped.output)")
    }

    @Test func aCheckNamesEachFileThatIsNotAsItWasFinished() async throws {
        try await withService { _ in }
        folder.damage("data/downloads/a.bin", at: 5000)
        let bySize = try await run("check")
        let byDigest = try await run("check", "--digests")
        folder.write("short", to: "data/downloads/a.bin")
        let short = try await run("check")
        folder.remove("data/downloads/a.bin")
        let missing = try await run("check")

        #expect(bySize.exitCode == 0)
        #expect(byDigest.exitCode == 65 && byDigest.output.contains("has the sha-256 "))
        #expect(short.exitCode == 65 && short.output.contains("has 5 bytes, not 100000"))
        #expect(missing.exitCode == 65 && missing.output.contains("downloads/a.bin (dl_"))
        #expect(missing.output.contains("is missing") && missing.output.contains("1 fault"))
    }

    @Test func aCheckNamesADamagedDatabase() async throws {
        try await withService { _ in }
        let size = Int64(folder.read("data/cormorant.db").count)
        folder.zero("data/cormorant.db", in: 3 * 4096..<size)
        let result = try await run("check")

        #expect(result.exitCode == 65)
        #expect((result.output + result.errors).contains("database"))
    }
}
