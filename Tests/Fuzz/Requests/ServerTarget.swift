import HTTPServer
import HTTPTypes
import Synchronization

extension FuzzTarget {
    /// All bytes of a connection, sent to a server of this process. Each request that reaches its handler is one that a
    /// strict reader finds at the same place, with the same target and body (RFC 9112).
    static let server = FuzzTarget(name: "server") { bytes in
        var reader = StrictRequests(bytes)
        var expected: [StrictRequests.Request] = []
        while let request = reader.next() { expected.append(request) }
        let client = try LoopbackClient(port: listening.get().port)
        let answer = client.exchange(bytes, answers: expected.count)
        try check(answer.isEmpty || answer.starts(with: "HTTP/1.".utf8), "an answer is HTTP")
        let accepted = seen.withLock { $0.removeValue(forKey: client.address) ?? [] }
        try check(accepted.count <= expected.count, "a strict reader refuses a request that was accepted: \(accepted)")
        for (request, strict) in zip(accepted, expected) {
            try checkSame(strict, request, "a strict reader finds the same request")
        }
    }

    /// The requests that reached the handler, by the address of the client.
    private static let seen = Mutex<[String: [StrictRequests.Request]]>([:])

    private static let listening = Result {
        var configuration = HTTPServer.Configuration()
        configuration.addresses = [ServerAddress(port: 0)]
        configuration.threads = 1
        return try HTTPServer(configuration: configuration, maxBodyBytes: 4096) { request in
            let accepted = StrictRequests.Request(
                method: request.method.rawValue,
                target: request.target,
                body: request.body
            )
            seen.withLock { $0[request.remoteAddress, default: []].append(accepted) }
            return ServerResponse(status: .ok)
        }
    }
}
