import API
import Curl
import Foundation
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import URLs

/// The built program, serving on a free port: started, killed and started again on the same data folder.
final class ServiceProcess: Sendable {
    let port: UInt16
    private let program: Program

    var processID: Int32 { program.processID }

    /// Returns once the program says that it listens.
    ///
    /// - Parameters:
    ///   - launcher: A command that runs the program with the arguments after it; empty for none.
    ///   - environment: Added to that of the tests.
    init(
        dataFolder: String,
        arguments: [String],
        launcher: [String] = [],
        environment: [String: String] = [:]
    ) async throws {
        let serve = ["serve", "--listen", "127.0.0.1:0", "--data-dir", dataFolder, "--log-format", "json"] + arguments
        let command = launcher + [Program.cormorantPath] + serve
        program = try await Program(
            command[0],
            Array(command.dropFirst()),
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }
        )
        var port: UInt16?
        for await line in program.errorLines {
            port = Self.port(in: line)
            if port != nil { break }
        }
        guard let port else { throw ServiceDied(log: try await program.result().errors) }
        self.port = port
    }

    /// Ends the program without a warning, and returns once it is gone.
    func kill() async throws {
        program.send(SIGKILL)
        _ = try await program.result()
    }

    /// Asks the program to stop.
    ///
    /// - Returns: Its exit code.
    func terminate() async throws -> Int32 {
        program.send(SIGTERM)
        return try await program.result().exitCode
    }

    /// Tells the program that its terminal is gone.
    func hangUp() { program.send(SIGHUP) }

    /// All that the program wrote to standard error, once it has ended.
    func log() async throws -> String { try await program.result().errors }

    /// Waits until the program ends by itself.
    ///
    /// - Returns: Its exit code.
    func end() async throws -> Int32 {
        try await program.result().exitCode
    }

    private static func port(in line: String) -> UInt16? {
        guard let range = line.range(of: "\"server.port\":") else { return nil }
        return UInt16(line[range.upperBound...].prefix { $0.isNumber })
    }
}

/// The program ended before it listened.
struct ServiceDied: Error {
    let log: String
}

/// Speaks to a running service as any client would.
struct ServiceClient {
    let port: UInt16
    private let loop = TransferLoop()

    func post(_ path: String, _ body: String) async throws -> (status: Int, json: JSONValue) {
        try await send(path, .post(body: Array(body.utf8)))
    }

    func get(_ path: String) async throws -> (status: Int, json: JSONValue) {
        try await send(path, .get)
    }

    /// Waits until a download is as expected: looks now, and whenever it has another revision.
    ///
    /// - Parameter expected: For the error.
    /// - Returns: The download.
    @discardableResult
    func wait(
        for expected: String,
        of id: String,
        until isReached: (JSONValue) async throws -> Bool
    ) async throws -> JSONValue {
        let deadline = ContinuousClock.now + longestWait
        var download = try await get("/downloads/\(id)").json
        while try await !isReached(download) {
            guard ContinuousClock.now < deadline, let revision = download["counters"]?["revision"]?.integer else {
                throw NotReached(expected: expected, seen: "\(download)")
            }
            let target = "/downloads/\(id)?until=change&after_revision=\(revision)"
            download = try await HTTPClient(port: port).send("GET", target, fields: [("Prefer", "wait=5")]).json
        }
        return download
    }

    /// Waits until a member of a download has a value.
    func wait(_ id: String, _ name: String, _ value: String) async throws {
        try await wait(for: "\(name) \(value)", of: id) { $0[name]?.text == value }
    }

    /// Waits until the service accepts requests.
    func isReady() async throws {
        try await poll("an answer of 200 at /readyz", because: .readiness) {
            try await get("/readyz").status
        } is: {
            $0 == 200
        }
    }

    /// Lets go on what waits for a resume: the process has ended three times in a row while it ran.
    func resumeAll(of session: String) async throws {
        let type = ("Content-Type", "application/json")
        let body = Array(#"{"action":"resume"}"#.utf8)
        _ = try await HTTPClient(port: port).send("PATCH", "/sessions/\(session)", fields: [type], body: body)
    }

    private func send(_ path: String, _ method: TransferRequest.Method) async throws -> (status: Int, json: JSONValue) {
        var request = try #require(TransferRequest(to: GivenURL(parsing: "http://127.0.0.1:\(port)\(path)").url))
        request.method = method
        request.headers = [HeaderField("Content-Type", "application/json")]
        let exchange = try await loop.start(request)
        let sink = Collector()
        _ = try await exchange.receive(into: sink)
        return (exchange.head.status, try JSONValue(parsing: sink.bytes))
    }
}

private final class Collector: BodySink {
    private let collected = Mutex<[UInt8]>([])

    var bytes: [UInt8] { collected.withLock { $0 } }

    func write(_ bytes: RawSpan) -> SinkResult {
        let copy = bytes.withUnsafeBytes { Array($0) }
        collected.withLock { $0 += copy }
        return .taken
    }
}
