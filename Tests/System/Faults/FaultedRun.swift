import API
import Foundation
import GRDB
import ServiceSupport
import TestSupport

/// One download from its POST to its DELETE, as a patient client sees it: what has no answer is asked again, a service
/// that is gone is started again, and a download that waits or has failed is told to go on.
///
/// Only the first service has the fault.
final class FaultedRun {
    /// What is wrong at the end; none where all is right.
    private(set) var faults: [String] = []

    private static let content = Content(seed: 29, size: 1_500_000)
    private static let path = "a/b.bin"

    private let folder = TemporaryFolder()
    /// Breaks off once, so that a checkpoint and a resumption are part of the life.
    private let origin = Origin(content, script: [.dropping(after: 1_200_000), .good])
    private let receiver = Origin(script: [.page(204)])
    private let arguments: [String]
    private let environment: (String) throws -> [String: String]
    private var service: ServiceProcess?
    private var starts = 0

    /// - Parameter environment: Of the first service, for its data folder.
    init(_ environment: @escaping (String) throws -> [String: String]) {
        self.environment = environment
        arguments = [
            "--webhook-url", receiver.url("/hook"), "--webhook-retry-delays", "1s", "--min-free-bytes", "0",
        ]
    }

    deinit {
        origin.stop()
        receiver.stop()
    }

    private var data: String { folder("data") }

    func run() async throws {
        let id = try await create()
        try await complete(id)
        if !Self.content.matches(fileAt: "\(data)/downloads/\(Self.path)") { faults.append("corrupt: a wrong file") }
        try await hearOf(id)
        try await delete(id)
        if let service {
            let code = try await service.terminate()
            // Where it is killed or fails while it stops, the next start finds what it left.
            if code != 0 && starts > 1 { faults.append("the service ended with \(code)") }
        }
        service = nil
        // What the last one left lying is swept at a start.
        _ = try await send("GET", "/readyz") { $0.status == 200 }
        if try await service?.terminate() != 0 { faults.append("the last service ended badly") }
        try check(id)
    }

    // MARK: - The client

    private func create() async throws -> String {
        let body = #"{"url":"\#(origin.url("/a"))","directory":"a","filename":"b.bin"}"#
        let fields = [("Idempotency-Key", "\"the-life\"")]
        let response = try await send("POST", "/downloads", body, fields) { $0.status == 201 }
        return try response.json["id"]?.text ?? ""
    }

    private func complete(_ id: String) async throws {
        _ = try await send("GET", "/downloads/\(id)") { response in
            let state = try response.json["state"]?.text ?? ""
            if let action = ["waiting": "resume", "failed": "retry"][state] {
                _ = try await self.once("PATCH", "/downloads/\(id)", #"{"action":"\#(action)"}"#)
            }
            if response.status == 404 { self.faults.append("lost: the download is gone") }
            return state == "completed" || response.status == 404
        }
    }

    /// Waits until the end of the download has come to the webhook.
    private func hearOf(_ id: String) async throws {
        _ = try await send("GET", "/livez") { _ in !self.ends(of: id).isEmpty }
    }

    private func delete(_ id: String) async throws {
        // One whose answer was lost may have happened.
        _ = try await send("DELETE", "/downloads/\(id)") { [204, 404].contains($0.status) }
    }

    private func ends(of id: String) -> Set<String> {
        Set(receiver.deliveries.filter { $0.type == "download.completed" && $0.data["id"]?.text == id }.map(\.id))
    }

    /// Asks until the answer is good, of a service that is started again where it is gone.
    private func send(
        _ method: String,
        _ target: String,
        _ body: String? = nil,
        _ fields: [(String, String)] = [],
        until isGood: (ReceivedResponse) async throws -> Bool
    ) async throws -> ReceivedResponse {
        let goal = "a good answer to \(method) \(target)"
        let answer = try await poll(goal, because: .otherProcess) { () -> ReceivedResponse? in
            do {
                let response = try await self.once(method, target, body, fields)
                return try await isGood(response) ? response : nil
            } catch is HTTPClient.Failure {
                // It ends by itself, or is at its end already: nothing else leaves a request without an answer.
                if let service = self.service { _ = try await service.end() }
                self.service = nil
                return nil
            }
        } is: {
            $0 != nil
        }
        guard let answer else { throw HTTPClient.Failure(text: "no good answer") }
        return answer
    }

    private func once(
        _ method: String,
        _ target: String,
        _ body: String? = nil,
        _ fields: [(String, String)] = []
    ) async throws -> ReceivedResponse {
        let service = try await running()
        let type = body == nil ? [] : [("Content-Type", "application/json")]
        return try await HTTPClient(port: service.port)
            .send(method, target, fields: fields + type, body: body.map { Array($0.utf8) })
    }

    private func running() async throws -> ServiceProcess {
        if let service { return service }
        let isFirst = starts == 0
        starts += 1
        do {
            let service = try await ServiceProcess(
                dataFolder: data,
                arguments: arguments,
                environment: isFirst ? try environment(data) : [:]
            )
            self.service = service
            return service
        } catch let error as ServiceDied {
            if !isFirst { faults.append("no start after the first: \(error.log)") }
            throw HTTPClient.Failure(text: "it ended at its start")
        }
    }

    // MARK: - What is left

    private func check(_ id: String) throws {
        if ends(of: id).count != 1 { faults.append("\(ends(of: id).count) webhook ids of one end") }
        let database = try DatabaseQueue(path: "\(data)/cormorant.db")
        try database.read { database in
            for (type, count) in [("download.created", 1), ("download.completed", 1), ("download.deleted", 1)] {
                let sql = "SELECT count(*) FROM event WHERE type = ?"
                let found = try Int.fetchOne(database, sql: sql, arguments: [type])
                if found != count { faults.append("\(type) \(found ?? 0) times") }
            }
            if try Int.fetchOne(database, sql: "SELECT count(*) FROM download") != 0 {
                faults.append("a record is left")
            }
            let check = try String.fetchOne(database, sql: "PRAGMA integrity_check")
            if check != "ok" { faults.append("the database: \(check ?? "")") }
        }
        for name in ["parts", "downloads/a"] {
            let left = try FileManager.default.contentsOfDirectory(atPath: "\(data)/\(name)")
            if !left.isEmpty { faults.append("\(name) holds \(left)") }
        }
    }
}
