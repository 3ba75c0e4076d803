import HTTPServer
import HTTPTypes
import TestSupport
import Testing

/// The addresses on which a server listens.
@Suite(.hangLimit) struct ListenerTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    /// What a client is to the server: the text of its address.
    private static func remote(_ request: ServerRequest) async -> ServerResponse {
        ServerResponse(status: .ok, body: .bytes(Array(request.remoteAddress.utf8)))
    }

    private func withServer(on addresses: [ServerAddress], _ body: (HTTPServer) async throws -> Void) async throws {
        let configuration = configured { $0.addresses = addresses }
        try await HTTPServerTests.withServer(configuration, handler: Self.remote, body)
    }

    private func answer(_ port: UInt16, isIPv6: Bool) async throws -> String? {
        try await blocking {
            let client = try RawClient(port: port, isIPv6: isIPv6)
            defer { client.close() }
            client.send(Self.request)
            return client.readResponse()?.text
        }
    }

    @Test func eachAddressOfAListIsServed() async throws {
        try await withServer(on: [ServerAddress(port: 0), ServerAddress(host: "::1", port: 0)]) { server in
            let ports = server.addresses.map(\.port)

            #expect(server.addresses.map(\.host) == ["127.0.0.1", "::1"] && server.awaitedAddresses.isEmpty)
            let answers = [try await answer(ports[0], isIPv6: false), try await answer(ports[1], isIPv6: true)]
            #expect(answers == ["127.0.0.1", "::1"])
        }
    }

    @Test func everyIPv6AddressIncludesThoseOfIPv4() async throws {
        try await withServer(on: [ServerAddress(host: "::", port: 0)]) { server in
            let answers = [try await answer(server.port, isIPv6: false), try await answer(server.port, isIPv6: true)]
            #expect(answers == ["127.0.0.1", "::1"])
        }
    }

    @Test func bothWildcardsMayHaveTheSamePort() async throws {
        let port = try await portOfNobody()
        try await withServer(
            on: [ServerAddress(host: "::", port: port), ServerAddress(host: "0.0.0.0", port: port)]
        ) { server in
            let answers = [try await answer(port, isIPv6: false), try await answer(port, isIPv6: true)]
            #expect(answers == ["127.0.0.1", "::1"])
        }
    }

    @Test func anAddressThatIsTakenLeavesNoneOpen() async throws {
        try await withServer(on: [ServerAddress(port: 0)]) { taken in
            let free = try await portOfNobody()
            let configuration = configured { $0.addresses = [ServerAddress(port: free), taken.addresses[0]] }

            #expect(throws: HTTPServerError.addressInUse(taken.addresses[0])) {
                try HTTPServer(configuration: configuration, handler: echo)
            }
            await #expect(throws: RawClient.Failure.self) { try await answer(free, isIPv6: false) }
        }
    }

    /// A port that was free just now.
    private func portOfNobody() async throws -> UInt16 {
        var port: UInt16 = 0
        try await withServer(on: [ServerAddress(host: "::", port: 0)]) { port = $0.port }
        return port
    }
}
