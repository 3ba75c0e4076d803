import HTTPServer
import HTTPTypes
import Testing

/// Requests that are refused; ``RawRequest`` lists them.
@Suite struct RefusalTests {
    /// A head behind another request, and one that fills more than the first part of the memory for it.
    @Test func aLaterHeadAndALargeOneAreReadAsStrictly() async throws {
        let large = "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 20_000))\r\n"
        try await withServer { server in
            for (second, status) in [
                ("GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n\r\n", 200), ("GET / HTTP/1.1\r\nHost: a\r\nX: b\n\r\n", 400),
                ("\(large)\r\n", 200), ("\(large) b\r\n\r\n", 400), ("\(large)Y: \0\r\n\r\n", 400),
            ] {
                let port = server.port
                let statuses = try await blocking {
                    let client = try RawClient(port: port)
                    defer { client.close() }
                    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
                    let first = client.readResponse()?.status
                    client.send(second)
                    return [first, client.readResponse()?.status]
                }
                #expect(statuses == [200, status])
            }
        }
    }

    @Test func aRefusalIsRenderedByTheCaller() async throws {
        var configuration = HTTPServer.Configuration()
        configuration.addresses = [ServerAddress(port: 0)]
        let server = try HTTPServer(
            configuration: configuration,
            refuse: { refusal, head in
                let text = "\(refusal.code.rawValue) \(head == nil)"
                return ServerResponse(
                    status: refusal.status,
                    headerFields: [.contentType: "application/problem+json"],
                    body: .bytes(Array(text.utf8))
                )
            },
            handler: echo
        )

        let response = try await fetch(server, "GET /%00 HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(response?.text == "bad-target true")
        #expect(response?.field("content-type") == "application/problem+json")
        await server.shutdown()
    }
}
