import API
import Glibc
import ServiceSupport
import TestSupport
import Testing

/// The program on a small file system that is full: calls of the API alone lead out of it.
@Suite(.enabled(if: SmallDisk.isAllowed, Comment(rawValue: SmallDisk.reason)), .hangLimit)
struct FilledDiskTests {
    private static let mebibyte: Int64 = 1 << 20

    private static func free(_ disk: SmallDisk) -> Int64 {
        var status = statvfs()
        guard statvfs(disk.folder.path, &status) == 0 else { return 0 }
        return Int64(status.f_bavail) * Int64(status.f_frsize)
    }

    private static func send(
        _ port: UInt16,
        _ method: String,
        _ target: String,
        _ body: String? = nil
    ) async throws -> ReceivedResponse {
        let type = body == nil ? [] : [("Content-Type", "application/json")]
        return try await HTTPClient(port: port).send(method, target, fields: type, body: body.map { Array($0.utf8) })
    }

    /// The revision of a download; the bytes that it receives are no part of that.
    private static func revision(_ port: UInt16, _ id: String) async throws -> Int64 {
        try #require(try await send(port, "GET", "/downloads/\(id)").json["counters"]?["revision"]?.integer)
    }

    /// Deletes a download, again while its file is being published: the space of those deleted before lets it complete.
    private static func delete(_ id: String, _ port: UInt16) async throws -> ReceivedResponse {
        var response = try await send(port, "DELETE", "/downloads/\(id)?force=true")
        try await poll("the end of publishing", because: .otherProcess) {
            guard response.status == 409, try response.json["type"]?.text?.hasSuffix("/busy") == true else {
                return true
            }
            response = try await send(port, "DELETE", "/downloads/\(id)?force=true")
            return false
        }
        return response
    }

    @Test func bodiesOfUnknownLengthLeaveFreeWhatIsToStayFree() async throws {
        let disk = try SmallDisk(bytes: 64 * Self.mebibyte)
        let origin = Origin(Content(size: 6 * Self.mebibyte), script: [.framing(.chunked)])
        defer { origin.stop() }
        let low = 16 * Self.mebibyte
        let service = try await ServiceProcess(
            dataFolder: disk.folder.path,
            arguments: ["--min-free-bytes", "\(low)", "--max-concurrent", "24", "--max-per-host", "24"]
        )
        var ids: [String] = []
        for number in 0..<24 {
            let body = #"{"url":"\#(origin.url("/\(number)"))","accept_unverified_length":true}"#
            let response = try await Self.send(service.port, "POST", "/downloads", body)
            #expect(response.status == 201, Comment(rawValue: response.text))
            if let id = try response.json["id"]?.text { ids.append(id) }
        }
        var least = Int64.max
        try await poll("waiting downloads, none running", because: .freeSpace) {
            least = min(least, Self.free(disk))
            let running = try await Self.send(service.port, "GET", "/downloads?state=running&limit=1").json
            let waiting = try await Self.send(service.port, "GET", "/downloads?state=waiting&limit=1").json
            return running["items"]?.items.isEmpty == true && waiting["items"]?.items.isEmpty == false
        }

        // The database takes some of it.
        #expect(least >= low - 4 * Self.mebibyte, "\(least) bytes were free")
        let new = try await Self.send(service.port, "POST", "/downloads", #"{"url":"\#(origin.url("/new"))"}"#)
        #expect(new.status == 201)
        if let id = try new.json["id"]?.text { ids.append(id) }
        for (index, action) in ["pause", "cancel"].enumerated() {
            let body = #"{"action":"\#(action)"}"#
            let response = try await Self.send(service.port, "PATCH", "/downloads/\(ids[23 - index])", body)
            #expect(response.status == 200, Comment(rawValue: response.text))
        }
        for id in ids {
            let response = try await Self.delete(id, service.port)
            #expect(response.status == 204, Comment(rawValue: response.text))
        }
        try await poll("40 MiB", because: .freeSpace) {
            Self.free(disk)
        } is: {
            $0 >= 40 * Self.mebibyte
        }
        #expect(try await service.terminate() == 0)
    }

    /// How the service meets the full disk.
    enum Scenario: CaseIterable, Sendable {
        case running, restarted, killed
    }

    private static let content = Content(size: 8 * mebibyte)
    private static let arguments = [
        "--min-free-bytes", "1MiB", "--resume-free-bytes", "1MiB", "--connections-per-download", "1",
    ]

    /// Four downloads with bytes on a disk of which nothing is free then: one runs, one is paused, two wait.
    private static func scene(
        _ disk: SmallDisk,
        _ origin: Origin
    ) async throws -> (service: ServiceProcess, ids: [String]) {
        let service = try await ServiceProcess(dataFolder: disk.folder.path, arguments: arguments)
        var ids: [String] = []
        for number in 0..<4 {
            let response = try await send(
                service.port,
                "POST",
                "/downloads",
                #"{"url":"\#(origin.url("/\(number)"))"}"#
            )
            ids.append(try response.json["id"]?.text ?? "")
        }
        try await poll("3 MiB of each", because: .otherProcess) {
            for id in ids {
                let progress = try await send(service.port, "GET", "/downloads/\(id)").json["progress"]
                guard progress?["received_bytes"]?.integer == 3 * mebibyte else { return false }
            }
            return true
        }
        for id in ids.dropFirst() {
            #expect(try await send(service.port, "PATCH", "/downloads/\(id)", #"{"action":"pause"}"#).status == 200)
        }
        disk.fill("stranger")
        return (service, ids)
    }

    private static func origin() -> Origin {
        Origin(content, script: [.pace(.stall(after: 3 * mebibyte, until: Signal()))])
    }

    @Test(arguments: Scenario.allCases)
    func aDiskThatAStrangerFilledIsLeftByCallsAlone(meeting: Scenario) async throws {
        let disk = try SmallDisk(bytes: 48 * Self.mebibyte)
        let origin = Self.origin()
        defer { origin.stop() }
        var (service, ids) = try await Self.scene(disk, origin)
        switch meeting {
        case .running: break
        case .restarted: _ = try await service.terminate()
        case .killed: try await service.kill()
        }
        if meeting != .running {
            disk.fill("stranger2")
            service = try await ServiceProcess(dataFolder: disk.folder.path, arguments: Self.arguments)
        }
        let paused = try await Self.send(service.port, "PATCH", "/downloads/\(ids[0])", #"{"action":"pause"}"#)
        #expect(paused.status == 200, Comment(rawValue: paused.text))
        let cancelled = try await Self.send(service.port, "PATCH", "/downloads/\(ids[1])", #"{"action":"cancel"}"#)
        #expect(cancelled.status == 200, Comment(rawValue: cancelled.text))
        for id in ids {
            let deleted = try await Self.send(service.port, "DELETE", "/downloads/\(id)?force=true")
            #expect(deleted.status == 204, Comment(rawValue: deleted.text))
        }
        // All that was theirs is free, though the stranger's is not.
        try await poll("16 MiB", because: .freeSpace) {
            Self.free(disk)
        } is: {
            $0 >= 16 * Self.mebibyte
        }
        let new = try await Self.send(service.port, "POST", "/downloads", #"{"url":"\#(origin.url("/new"))"}"#)
        #expect(new.status == 201, Comment(rawValue: new.text))
        #expect(try await service.terminate() == 0)
    }

    /// Cancels a download, again if its state changed since its revision was read: it may just have found the disk
    /// full.
    private static func cancel(_ id: String, _ port: UInt16, isConditional: Bool) async throws -> ReceivedResponse {
        guard isConditional else { return try await send(port, "PATCH", "/downloads/\(id)", #"{"action":"cancel"}"#) }
        while true {
            let body = #"{"action":"cancel","expected_revision":\#(try await revision(port, id))}"#
            let response = try await send(port, "PATCH", "/downloads/\(id)", body)
            if response.status != 409 { return response }
        }
    }

    /// The stranger takes what the service gives back, each time.
    @Test(arguments: [false, true])
    func withoutAReserveACancellationAndADeletionMakeTheirOwnRoom(isConditional: Bool) async throws {
        let disk = try SmallDisk(bytes: 48 * Self.mebibyte)
        let origin = Self.origin()
        defer { origin.stop() }
        let (service, ids) = try await Self.scene(disk, origin)
        // Each change takes some room for its record.
        var changes = 0
        var last = 200
        while last == 200 && changes < 20_000 {
            disk.fill("more\(changes)")
            let action = changes % 2 == 0 ? "pause" : "resume"
            last = try await Self.send(service.port, "PATCH", "/downloads/\(ids[3])", #"{"action":"\#(action)"}"#)
                .status
            changes += 1
        }
        #expect(last == 507, "\(changes) changes had room")
        let cancelled = try await Self.cancel(ids[0], service.port, isConditional: isConditional)
        #expect(cancelled.status == 200, Comment(rawValue: cancelled.text))
        disk.fill("again")
        for id in ids {
            let deleted = try await Self.send(service.port, "DELETE", "/downloads/\(id)?force=true")
            #expect(deleted.status == 204, Comment(rawValue: deleted.text))
        }
        #expect(try await service.terminate() == 0)
    }
}
