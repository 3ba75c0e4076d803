import Glibc
import HTTPServer
import HTTPTypes
import Testing

@Suite struct BodyTests {
    @Test func aChunkedBodyIsJoined() async throws {
        try await withServer { server in
            let head = "POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            let response = try await fetch(server, head + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")

            #expect(response?.text == "POST /x - abcde")
        }
    }

    /// Where the lines of chunks are read in two ways, a second request may hide behind them.
    @Test func bytesAfterAChunkedBodyAreNotRead() async throws {
        try await withServer { server in
            let port = server.port
            let text = try await blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                client.send("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
                client.send("GET /second HTTP/1.1\r\nHost: a\r\n\r\n")
                return client.readToEnd()
            }
            #expect(text?.contains("Connection: close\r\n") == true)
            #expect(text?.hasSuffix("POST /x - a") == true)
        }
    }

    @Test func aBodyOfTheLimitIsAccepted() async throws {
        try await withServer(maxBodyBytes: 100_000) { server in
            let body = String(repeating: "x", count: 100_000)
            let response = try await fetch(server, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + body)

            #expect(response?.text == "PUT / - " + body)
        }
    }

    @Test func aPathMayHaveALimitOfItsOwn() async throws {
        let admit: HTTPServer.Admission = { .admitted(maxBodyBytes: $0.path == "/long" ? 20 : 10, echo) }
        try await withServer(admit: admit) { server in
            for (path, length, status) in [
                ("/long", 20, 200), ("/long?a", 20, 200), ("/long", 21, 413), ("/x", 11, 413),
            ] {
                let body = String(repeating: "x", count: length)
                let head = "PUT \(path) HTTP/1.1\r\nHost: a\r\n"
                let declared = try await fetch(server, "\(head)Content-Length: \(length)\r\n\r\n\(body)")
                let size = String(length, radix: 16)
                let chunked = "\(head)Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(body)\r\n0\r\n\r\n"

                #expect(declared?.status == status, "\(path) \(length)")
                #expect(try await fetch(server, chunked)?.status == status, "\(path) \(length)")
            }
        }
    }

    /// The client writes all before it reads: a reset must not destroy the answer.
    @Test(arguments: [true, false])
    func aBodyBeyondTheLimitIsAnswered413AndItsConnectionClosed(_ isChunked: Bool) async throws {
        try await withServer(maxBodyBytes: 1000) { server in
            let port = server.port
            let text = try await blocking {
                let client = try RawClient(port: port)
                defer { client.close() }
                let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 1000000"
                client.send("POST / HTTP/1.1\r\nHost: a\r\n\(length)\r\n\r\n\(isChunked ? "f4240\r\n" : "")")
                client.send([UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000))
                return client.readToEnd()
            }
            #expect(text?.hasPrefix("HTTP/1.1 413 ") == true)
            #expect(text?.contains("Connection: close\r\n") == true)
            #expect(text?.hasSuffix("The content is longer than 1000 bytes.\n") == true)
        }
    }

    @Test func aClientThatAsksBeforeItSendsIsToldAtOnce() async throws {
        try await withServer(maxBodyBytes: 10) { server in
            let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "

            let refused = try await fetch(server, head + "11\r\n\r\n")
            let invited = try await fetch(server, head + "10\r\n\r\n")

            #expect(refused?.status == 413)
            #expect(invited?.status == 100)
        }
    }

    @Test func aFileIsSentFromItsOffset() async throws {
        let handler: HTTPServer.Handler = { _ in
            let descriptor = temporaryFile("0123456789")
            return ServerResponse(
                status: .partialContent,
                body: .file(OpenFile(owning: descriptor), offset: 3, length: 4)
            )
        }
        try await withServer(handler: handler) { server in
            let response = try await fetch(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")

            #expect(response?.status == 206)
            #expect(response?.contentLength == 4)
            #expect(response?.text == "3456")
        }
    }
}

/// An unlinked file with this content.
private func temporaryFile(_ text: String) -> Int32 {
    var name = Array("/tmp/microhttp-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    unlink(name)
    _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    return descriptor
}
