import API
import Foundation
import GRDB
import Glibc
import ServiceSupport
import TestSupport
import Testing

/// System calls of a program that fail as a test wants, by a library that is loaded before the C library.
struct CallFaults {
    enum Fault: String, CaseIterable {
        /// `fdatasync(2)` and `fsync(2)`.
        case sync
        /// `pwrite(2)` and `write(2)`; `pread(2)`.
        case pwrite, pread
        /// `fallocate(2)` and `ftruncate(2)`.
        case allocate, truncate
        /// `openat2(2)` and `openat(2)` with `O_CREAT`.
        case create
        /// `mkdirat(2)`, `linkat(2)`, `unlinkat(2)` and `renameat2(2)`.
        case mkdir, link, unlink, rename
        case socket, connect
    }

    /// Whether a compiler is there for the library; Swift's toolchain brings one.
    static let isAllowed = (try? built.get()) != nil
    static let reason = "no C compiler is in the path"

    private static let built = Result { try PreloadedLibrary("faults").path }

    let folder = TemporaryFolder()

    /// What the program is to find in its environment.
    var environment: [String: String] {
        get throws { ["LD_PRELOAD": try Self.built.get(), "FAULTS_FOLDER": folder.path] }
    }

    /// Makes a call fail on each file whose path has `text` in it, a socket's being `socket:`: the next time, or always
    /// until ``mend(_:)``.
    func fail(_ fault: Fault, _ code: Int32, once: Bool, on text: String) {
        write(fault, "\(code) \(once ? "1" : "always") \(text)")
    }

    /// Makes the call of this number, from 1 on, fail among those on files whose path has `text` in it.
    func fail(_ fault: Fault, _ code: Int32, at number: Int, on text: String) {
        write(fault, "\(code) \(number) \(text)")
    }

    /// Lets no such call come to its end until ``mend(_:)``.
    func stall(_ fault: Fault, on text: String) {
        write(fault, "0 always \(text)")
    }

    private func write(_ fault: Fault, _ order: String) {
        folder.write(order, to: "new")
        folder.rename("new", to: fault.rawValue)
    }

    func mend(_ fault: Fault) {
        folder.remove(fault.rawValue)
    }

    /// Waits until a call has failed by it.
    func waitForFailure(_ fault: Fault) async throws {
        try await FolderWatch(folder.path).waitUntil("a failed \(fault)") {
            hasFailed(fault)
        } is: {
            $0
        }
    }

    /// Whether a call has failed by it.
    func hasFailed(_ fault: Fault) -> Bool {
        access(folder("\(fault.rawValue).hit"), F_OK) == 0 || access(folder(fault.rawValue), F_OK) != 0
    }
}

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

    /// Waits until a member of the download has a value.
    func waits(until name: String, is value: String) async throws {
        try await client.wait(id, name, value)
    }

    /// Waits until so many bytes are recorded.
    func waits(untilDurable count: Int64) async throws {
        try await poll("\(count) durable bytes", because: .commitElsewhere, look: durableBytes) { $0 == count }
    }

    /// Waits until the download waits for the disk.
    func waitsForDisk() async throws {
        try await waits(until: "waiting_for", is: "io")
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
        let response = try await HTTPClient(port: service.port)
            .send("PATCH", "/downloads/\(id)", fields: [type], body: body)
        #expect(response.status == 200, Comment(rawValue: response.text))
        try await waits(until: "state", is: "completed")
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
