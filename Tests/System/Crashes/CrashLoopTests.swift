import API
import GRDB
import ServiceSupport
import TestSupport
import Testing

/// A download during which the process ends, again and again.
@Suite(.hangLimit)
struct CrashLoopTests {
    private static let content = Content(size: 3 << 20)

    /// A service that is killed while a download of its own runs.
    private struct Scene {
        let folder = TemporaryFolder()
        let origin: Origin
        let id: String
        var service: ServiceProcess

        var client: ServiceClient { ServiceClient(port: service.port) }

        /// - Parameter script: What the origin does at each request.
        init(_ script: [Behaviour]) async throws {
            origin = Origin(CrashLoopTests.content, script: script)
            service = try await ServiceProcess(dataFolder: folder.path, arguments: Self.arguments)
            let body = #"{"url":"\#(origin.url("/a"))","session":"s"}"#
            id = try #require(try await ServiceClient(port: service.port).post("/downloads", body).json["id"]?.text)
        }

        private static let arguments = ["--min-free-bytes", "0", "--connections-per-download", "1"]

        /// Ends the process while a request of the download is under way, and starts it again.
        mutating func crash(atRequest number: Int) async throws {
            await origin.requests(atLeast: number)
            try await restart { try await $0.kill() }
        }

        mutating func restart(_ end: (ServiceProcess) async throws -> Void) async throws {
            try await end(service)
            service = try await ServiceProcess(dataFolder: folder.path, arguments: Self.arguments)
        }

        func download() async throws -> JSONValue { try await client.get("/downloads/\(id)").json }

        func resume() async throws {
            let response = try await HTTPClient(port: service.port).send(
                "PATCH",
                "/downloads/\(id)",
                fields: [("Content-Type", "application/json")],
                body: Array(#"{"action":"resume"}"#.utf8)
            )
            #expect(response.status == 200, Comment(rawValue: response.text))
        }

        func completes() async throws {
            try await client.wait(id, "state", "completed")
            #expect(CrashLoopTests.content.matches(fileAt: "\(folder.path)/downloads/a"))
            #expect(try await service.terminate() == 0)
            origin.stop()
        }
    }

    private static var silent: Behaviour { .pace(.stallBeforeHead(until: Signal())) }

    @Test func afterThreeUncleanEndsInARowItWaitsForAResumeAndSaysWhy() async throws {
        var scene = try await Scene([Self.silent, Self.silent, Self.silent, .good])
        for number in 1...3 { try await scene.crash(atRequest: number) }

        try await scene.client.wait(scene.id, "state", "waiting")
        let waiting = try await scene.download()
        #expect(waiting["state"]?.text == "waiting")
        #expect(waiting["waiting_for"]?.text == "resume")
        #expect(waiting["error"]?["code"]?.text == "service_crashed")
        #expect(waiting["next_attempt_at"] == .null)
        #expect(scene.origin.requests.count == 3)

        try await scene.resume()
        try await scene.completes()
    }

    @Test func anOrderlyStopInBetweenBeginsTheCountAnew() async throws {
        var scene = try await Scene([Self.silent, Self.silent, Self.silent, Self.silent, .good])
        for number in 1...2 { try await scene.crash(atRequest: number) }
        await scene.origin.requests(atLeast: 3)
        try await scene.restart { _ = try await $0.terminate() }
        try await scene.crash(atRequest: 4)

        try await scene.completes()
    }

    @Test func progressInBetweenBeginsTheCountAnew() async throws {
        let isReleased = Signal()
        let further = Behaviour.pace(.stall(after: 1 << 20, until: isReleased))
        var scene = try await Scene([Self.silent, Self.silent, further, Self.silent, .good])
        for number in 1...2 { try await scene.crash(atRequest: number) }
        await scene.origin.requests(atLeast: 3)
        let run = KillRun(folder: scene.folder.path, downloadCount: 1)
        try await poll("durable bytes", because: .commitElsewhere) {
            try run.record(of: scene.id).durableBytes
        } is: {
            $0 > 0
        }
        try await scene.crash(atRequest: 3)
        try await scene.crash(atRequest: 4)

        try await scene.completes()
    }
}

/// The promise, tested on the program itself: what a killed process left is not believed but compared.
@Suite(.hangLimit)
struct DamageTests {
    private static let block: Int64 = 4 << 20
    private static let content = Content(seed: 11, size: 6 * block)

    @Test func aPartThatIsDamagedAfterAKillHeals() async throws {
        let folder = TemporaryFolder()
        let origin = Origin(Self.content, script: [.pace(.stall(after: 5 * Self.block, until: Signal())), .good])
        defer { origin.stop() }
        let arguments = ["--min-free-bytes", "0", "--connections-per-download", "1"]
        var service = try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
        let created = try await ServiceClient(port: service.port).post("/downloads", #"{"url":"\#(origin.url("/a"))"}"#)
        let id = try #require(created.json["id"]?.text)
        try await poll("5 durable blocks", because: .commitElsewhere) {
            try Self.durableBytes(of: id, in: folder.path)
        } is: {
            $0 == 5 * Self.block
        }
        try await service.kill()
        folder.damage("parts/\(id).g1.part", at: Self.block + 17)
        folder.zero("parts/\(id).g1.part", in: 4 * Self.block + 5..<5 * Self.block)

        service = try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
        let client = ServiceClient(port: service.port)
        try await client.wait(id, "state", "completed")

        #expect(Self.content.matches(fileAt: "\(folder.path)/downloads/a"))
        let ranges = origin.requests.map { $0.value(of: "range") }
        #expect(ranges == [nil, "bytes=4194304-8388607", "bytes=16777216-25165823"])
        #expect(try await service.terminate() == 0)
    }

    private static func durableBytes(of id: String, in folder: String) throws -> Int64? {
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(path: "\(folder)/cormorant.db", configuration: configuration)
        return try database.read {
            try Int64.fetchOne($0, sql: "SELECT durable_bytes FROM download WHERE id = ?", arguments: [id])
        }
    }
}
