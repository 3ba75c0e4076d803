import API
import Curl
import Synchronization
import TestSupport

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

    /// Lets go on what waits for a resume: the process has ended three times in a row while it ran.
    func resumeAll(of session: String) async throws {
        let type = ("Content-Type", "application/json")
        let body = Array(#"{"action":"resume"}"#.utf8)
        _ = try await HTTPClient(port: port).send("PATCH", "/sessions/\(session)", fields: [type], body: body)
    }

    private func send(_ path: String, _ method: TransferRequest.Method) async throws -> (status: Int, json: JSONValue) {
        var request = TransferRequest(url: try ParsedURL("http://127.0.0.1:\(port)\(path)"))
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

    func write(_ bytes: RawSpan) -> SinkVerdict {
        let copy = bytes.withUnsafeBytes { Array($0) }
        collected.withLock { $0 += copy }
        return .taken
    }
}
