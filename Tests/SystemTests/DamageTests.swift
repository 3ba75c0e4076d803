import API
import GRDB
import ServiceSupport
import Testing
import TestSupport

/// The promise, tested on the program itself: what a killed process left is not believed but compared.
@Suite(.timeLimit(.minutes(5)))
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
        try await eventually { try Self.durableBytes(of: id, in: folder.path) == 5 * Self.block }
        try await service.kill()
        folder.damage("parts/\(id).g1.part", at: Self.block + 17)
        folder.zero("parts/\(id).g1.part", in: 4 * Self.block + 5..<5 * Self.block)

        service = try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
        let client = ServiceClient(port: service.port)
        try await eventually { try await client.get("/downloads/\(id)").json["state"]?.text == "completed" }

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
