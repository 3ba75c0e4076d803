import Glibc
import HTTPServer
import HTTPTypes
import Synchronization

/// Runs `body` against a server of its own, and shuts that down.
func withServer(
    _ configuration: HTTPServer.Configuration = configured { _ in },
    maxBodyBytes: Int = 1 << 20,
    handler: @escaping HTTPServer.Handler = echo,
    _ body: (HTTPServer) async throws -> Void
) async throws {
    let server = try HTTPServer(configuration: configuration, maxBodyBytes: maxBodyBytes, handler: handler)
    try await using(server, body)
}

/// Runs `body` against a server that judges heads itself, and shuts it down.
func withServer(
    _ configuration: HTTPServer.Configuration = configured { _ in },
    admit: @escaping HTTPServer.Admission,
    _ body: (HTTPServer) async throws -> Void
) async throws {
    try await using(try HTTPServer(configuration: configuration, admit: admit), body)
}

private func using(_ server: HTTPServer, _ body: (HTTPServer) async throws -> Void) async throws {
    do {
        try await body(server)
    } catch {
        await server.shutdown(deadline: .seconds(1))
        throw error
    }
    await server.shutdown(deadline: .seconds(5))
}

/// A free port and two threads, and what `change` adds.
func configured(_ change: (inout HTTPServer.Configuration) -> Void) -> HTTPServer.Configuration {
    var configuration = HTTPServer.Configuration()
    configuration.addresses = [ServerAddress(port: 0)]
    configuration.threads = 2
    change(&configuration)
    return configuration
}

/// Answers method, path, query and body.
func echo(_ request: ServerRequest) async -> ServerResponse {
    let body = String(decoding: request.body, as: UTF8.self)
    let text = "\(request.method.rawValue) \(request.path) \(request.query ?? "-") \(body)"
    return ServerResponse(status: .ok, body: .bytes(Array(text.utf8)))
}

/// Sends `request` on a connection of its own and reads the first answer.
func fetch(_ server: HTTPServer, _ request: String) async throws -> RawResponse? {
    let port = server.port
    return try await blocking {
        let client = try RawClient(port: port)
        defer { client.close() }
        client.send(request)
        return client.readResponse()
    }
}

/// Opens once and lets everyone through.
final class OneTimeSignal: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// Runs blocking calls on a thread of their own: the cooperative pool, which handlers need, has as many as cores.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let work = Unmanaged.passRetained(Work { continuation.resume(with: Result(catching: body)) })
        var thread = pthread_t()
        let result = pthread_create(&thread, nil, runWork, work.toOpaque())
        precondition(result == 0)
        pthread_detach(thread)
    }
}

private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runWork(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
    return nil
}
