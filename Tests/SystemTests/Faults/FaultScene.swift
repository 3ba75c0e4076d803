import API
import Glibc
import GRDB
import ServiceSupport
import Testing
import TestSupport

/// A service with one download under way, whose first answer stops before its end.
struct FaultScene {
    let folder = TemporaryFolder()
    let faults = CallFaults()
    let rest = Signal()
    let origin: Origin
    let service: ServiceProcess
    let client: ServiceClient
    let id: String

    init(_ content: Content, stallAfter: Int64? = nil, prepare: (CallFaults) -> Void = { _ in }) async throws {
        let rest = rest
        let first = stallAfter.map { Behaviour.pace(.stall(after: $0, until: rest)) } ?? .good
        origin = Origin(content, script: [first, .good])
        service = try await ServiceProcess(
            dataFolder: folder.path,
            arguments: ["--min-free-bytes", "0", "--connections-per-download", "1"],
            environment: try faults.environment
        )
        let body = #"{"url":"\#(origin.url("/a"))"}"#
        prepare(faults)
        client = ServiceClient(port: service.port)
        id = try #require(try await client.post("/downloads", body).json["id"]?.text)
    }

    func value(_ name: String) async throws -> String? {
        try await client.get("/downloads/\(id)").json[name]?.text
    }

    /// Waits until the download waits for the disk.
    func waitsForDisk() async throws {
        try await eventually { try await value("waiting_for") == "io" }
    }

    var errorCode: String? {
        get async throws { try await client.get("/downloads/\(id)").json["error"]?["code"]?.text }
    }

    /// Has the download try again now, and waits for its file.
    ///
    /// - Parameter action: `retry` for one that has failed.
    func resume(_ action: String = "resume") async throws {
        let body = Array(#"{"action":"\#(action)"}"#.utf8)
        let type = ("Content-Type", "application/json")
        let answer = try await HTTPClient(port: service.port)
            .send("PATCH", "/downloads/\(id)", fields: [type], body: body)
        #expect(answer.status == 200, Comment(rawValue: answer.text))
        try await eventually { try await value("state") == "completed" }
    }

    var hasFile: Bool { access("\(folder.path)/downloads/a", F_OK) == 0 }

    func holds(_ content: Content) -> Bool { content.matches(fileAt: "\(folder.path)/downloads/a") }

    /// The bytes that the database claims.
    func durableBytes() throws -> Int64 {
        var configuration = Configuration()
        configuration.readonly = true
        let database = try DatabaseQueue(path: "\(folder.path)/cormorant.db", configuration: configuration)
        return try database.read {
            try Int64.fetchOne($0, sql: "SELECT durable_bytes FROM download WHERE id = ?", arguments: [id])
        } ?? 0
    }

    func end() async throws {
        origin.stop()
        #expect(try await service.terminate() == 0)
    }
}
