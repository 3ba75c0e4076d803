import Foundation
import GRDB
import TestSupport
import Testing

/// What the program does with a data folder that is not as it left it, and how it leaves one.
@Suite(.hangLimit)
struct StartTests {
    private let folder = TemporaryFolder()
    private static let arguments = ["--min-free-bytes", "0"]

    private func start() async throws -> ServiceProcess {
        try await ServiceProcess(dataFolder: folder.path, arguments: Self.arguments)
    }

    /// Starts the program, which is to refuse.
    private func refusal(_ arguments: [String] = []) async throws -> (exitCode: Int32, errors: String) {
        let program = try await Program(
            Program.cormorantPath,
            ["serve", "--listen", "127.0.0.1:0", "--data-dir", folder.path] + Self.arguments + arguments,
            environment: ProcessInfo.processInfo.environment
        )
        // One that starts all the same would run until the test's time is over.
        for await line in program.errorLines where line.contains("server.port") { program.send(SIGTERM) }
        let result = try await program.result()
        return (result.exitCode, result.errors)
    }

    private func count(_ table: String, in path: String) throws -> Int {
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(path: path, configuration: configuration)
        return try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
    }

    @Test func aServiceThatIsToldToStopWhileItOpensItsStoreStopsInOrder() async throws {
        let program = try await Program(
            Program.cormorantPath,
            ["serve", "--listen", "127.0.0.1:0", "--data-dir", folder("data"), "--log-format", "json"],
            environment: ProcessInfo.processInfo.environment
        )
        var lines: [String] = []
        for await line in program.errorLines {
            // The first line comes long before the service listens.
            if lines.isEmpty { program.send(SIGTERM) }
            lines.append(line)
        }

        #expect(try await program.result().exitCode == 0)
        #expect(lines.last?.contains("stopped") == true)
    }

    @Test func theDatabaseFileAloneHoldsEverythingAfterAStop() async throws {
        let service = try await start()
        let made = try await ServiceClient(port: service.port).post("/downloads", #"{"url":"http://127.0.0.1:9/a"}"#)
        #expect(try await service.terminate() == 0)
        for name in ["cormorant.db-wal", "cormorant.db-shm"] { unlink(folder(name)) }

        #expect(made.status == 201)
        #expect(try count("download", in: folder("cormorant.db")) == 1)
    }

    @Test func theDatabaseFileAloneHoldsWhatAKilledProcessLeftOnceTheNextIsReady() async throws {
        let first = try await start()
        _ = try await ServiceClient(port: first.port).post("/downloads", #"{"url":"http://127.0.0.1:9/a"}"#)
        try await first.kill()
        let service = try await start()
        let client = ServiceClient(port: service.port)
        try await client.isReady()
        // A copy of the one file, as a careless backup makes it.
        try FileManager.default.copyItem(atPath: folder("cormorant.db"), toPath: folder("copy.db"))

        #expect(try count("download", in: folder("copy.db")) == 1)
        #expect(try await service.terminate() == 0)
    }

    @Test(arguments: ["key", "parts/dl_01kdyak3seeejr3cp3tkjzc1rr.g1.part", "downloads/a.iso"])
    func noEmptyDatabaseIsMadeWhereOneWasLost(_ trace: String) async throws {
        if trace.contains("/") { folder.makeFolder(String(trace.prefix { $0 != "/" })) }
        folder.write(String(repeating: "0", count: 64), to: trace)

        let (exitCode, errors) = try await refusal()

        #expect(exitCode == 78)
        #expect(errors.contains("cormorant.db") && errors.contains(folder(String(trace.prefix { $0 != "/" }))))
        #expect(errors.contains("restore") && errors.contains("move"))
        #expect(access(folder("cormorant.db"), F_OK) != 0)
    }

    @Test(arguments: [("No/Where", true), ("CET-1CEST", false), ("UTC", false), ("", false)])
    func aTimeZoneThatDoesNotExistIsSaid(_ zone: String, isSaid: Bool) async throws {
        let service = try await ServiceProcess(
            dataFolder: folder.path,
            arguments: Self.arguments,
            environment: ["TZ": zone]
        )
        #expect(try await service.terminate() == 0)

        #expect(try await service.log().contains("time zone not known") == isSaid)
    }

    /// What NAS devices and other machines leave in a new folder.
    @Test func droppingsOfOtherMachinesAreNoTraceOfADatabase() async throws {
        for name in ["downloads", "downloads/@eaDir", "downloads/#recycle", "downloads/.stfolder"] {
            folder.makeFolder(name)
        }
        for name in [".DS_Store", "._.DS_Store", "Thumbs.db"] { folder.write("x", to: "downloads/\(name)") }

        let service = try await start()

        #expect(try await service.terminate() == 0)
    }

    @Test func aDatabaseWithoutATableIsALostOneToo() async throws {
        let service = try await start()
        #expect(try await service.terminate() == 0)
        for name in ["cormorant.db", "cormorant.db-wal", "cormorant.db-shm"] { unlink(folder(name)) }
        folder.write("", to: "cormorant.db")

        #expect(try await refusal().exitCode == 78)
    }

    @Test(arguments: [("key", []), ("webhook-secret", []), ("token", ["--listen", "0.0.0.0:0"])])
    func aSecretThatIsGarbledIsNamed(_ name: String, _ arguments: [String]) async throws {
        let service = try await start()
        #expect(try await service.terminate() == 0)
        try Data([0xFF, 0xFE, 0x00, 0xC3, 0x28]).write(to: URL(filePath: folder(name)))
        chmod(folder(name), 0o600)

        let (exitCode, errors) = try await refusal(arguments)

        #expect(exitCode == 78)
        #expect(errors.contains(folder(name)), "\(errors)")
        #expect(!errors.contains("multibyte"))
    }

    @Test func theFolderIsLockedThoughItsLockFileWasRemoved() async throws {
        let first = try await start()
        folder.remove("lock")

        let (exitCode, errors) = try await refusal()

        #expect(exitCode == 69)
        #expect(errors.contains("'\(folder.path)' is in use") && errors.contains("--data-dir"), "\(errors)")
        #expect(try await ServiceClient(port: first.port).get("/livez").status == 200)
        #expect(try await first.terminate() == 0)
    }

    @Test func everyLineOfAServiceThatLogsJSONIsJSON() async throws {
        let service = try await ServiceProcess(
            dataFolder: folder.path,
            arguments: Self.arguments + ["--log-level", "debug"],
            environment: ["CORMORANT_LISTN": "127.0.0.1:1"]
        )
        let client = ServiceClient(port: service.port)
        _ = try await client.post("/downloads", #"{"url":"http://127.0.0.1:9/a"}"#)
        #expect(try await service.terminate() == 0)

        let lines = try await service.log().split(separator: "\n")
        let objects = lines.map { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        #expect(!objects.contains { $0 == nil }, "\(lines)")
        let services = objects.compactMap { $0?["sl-service"] as? String }
        #expect(
            services.contains("EventHub") && services.allSatisfy { !$0.contains { "(.".contains($0) } },
            "\(services)"
        )
        #expect(lines.contains { $0.contains("CORMORANT_LISTN is no setting") && $0.contains(#""level":"warning""#) })
    }

    @Test func aHangUpEndsNothing() async throws {
        let service = try await start()
        service.hangUp()

        #expect(try await ServiceClient(port: service.port).get("/livez").status == 200)
        #expect(try await service.terminate() == 0)
    }

    // MARK: - Damage

    @Test(arguments: [0, 100])
    func aDatabaseThatIsNoneIsNamedAtTheStart(_ offset: Int) async throws {
        let service = try await start()
        #expect(try await service.terminate() == 0)
        overwrite(offset: offset, count: 4096)

        let (exitCode, errors) = try await refusal()

        #expect(exitCode == 78)
        #expect(errors.contains(folder("cormorant.db")) && errors.contains("backup"), "\(errors)")
    }

    @Test func aDatabaseThatIsDamagedWhileItRunsStopsTheService() async throws {
        let first = try await start()
        for number in 0..<200 {
            let body = #"{"url":"http://127.0.0.1:9/\#(number)","start":false}"#
            _ = try await ServiceClient(port: first.port).post("/downloads", body)
        }
        #expect(try await first.terminate() == 0)
        let service = try await start()
        let client = ServiceClient(port: service.port)
        try await client.isReady()
        let attributes = try FileManager.default.attributesOfItem(atPath: folder("cormorant.db"))
        let size = try #require(attributes[.size] as? Int)
        try #require(size > 20 * 4096)
        // All but the page that the schema begins on; what the program has cached is read anew after a commit.
        overwrite(offset: 3 * 4096, count: size - 3 * 4096)
        let asking = Task {
            while !Task.isCancelled {
                _ = try await client.post("/downloads", #"{"url":"http://127.0.0.1:9/b","start":false}"#)
                _ = try await client.get("/downloads?limit=100")
            }
        }
        let exitCode = try await service.end()
        asking.cancel()

        #expect(exitCode == 74)
        #expect(try await service.log().contains("damaged"))
        #expect(try await service.log().contains("backup"))
    }

    private func overwrite(offset: Int, count: Int) {
        let file = open(folder("cormorant.db"), O_WRONLY)
        let noise = [UInt8](repeating: 0xA5, count: count)
        #expect(pwrite(file, noise, count, off_t(offset)) == count)
        close(file)
    }
}
