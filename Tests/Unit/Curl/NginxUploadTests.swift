import Curl
import TestSupport
import Testing

/// Uploads to nginx.
@Suite(.hangLimit, .enabled(if: Nginx.path != nil, "nginx is not installed"))
struct NginxUploadTests {
    private struct Store {
        let folder: TemporaryFolder
        let clear: UInt16
        let tls: UInt16

        func request(_ name: String, _ body: UploadBody, overHTTP2: Bool) throws -> TransferRequest {
            let text = overHTTP2 ? "https://127.0.0.1:\(tls)/\(name)" : "http://127.0.0.1:\(clear)/\(name)"
            return try CurlTests.request(text) {
                $0.certificateAuthorityFile = folder("authority.pem")
                $0.method = .upload(body)
            }
        }
    }

    /// - Parameter limit: The largest body.
    private func withStore(limit: String, _ body: (Store, TransferLoop) async throws -> Void) async throws {
        let folder = TemporaryFolder()
        let authority = TestAuthority()
        let identity = authority.issue()
        folder.write(authority.certificate, to: "authority.pem")
        folder.write(identity.certificate, to: "certificate.pem")
        folder.write(identity.key, to: "key.pem")
        folder.makeFolder("files", mode: 0o777)
        // It cannot choose a free port. Another process may bind these first; then the test fails.
        let store = Store(folder: folder, clear: ClosedPort().port, tls: ClosedPort().port)
        // Its workers write as another user, unless it runs as this one.
        let nginx = try await Nginx(
            in: folder,
            port: store.clear,
            server: """
                listen 127.0.0.1:\(store.clear); listen 127.0.0.1:\(store.tls) ssl http2;
                ssl_certificate \(folder.path)/certificate.pem; ssl_certificate_key \(folder.path)/key.pem;
                root \(folder.path)/files; client_max_body_size \(limit);
                dav_methods PUT; create_full_put_path on;
                """
        )
        defer { nginx.stop() }
        let loop = TransferLoop()
        try await body(store, loop)
        await loop.shutdown()
    }

    @Test(arguments: [false, true], [0..<0, 5..<6, (7 << 20) + 1..<(15 << 20) + 3, 0..<20 << 20] as [Range<Int64>])
    func aRangeOfAFileArrivesByteForByte(_ overHTTP2: Bool, _ range: Range<Int64>) async throws {
        try await withStore(limit: "0") { store, loop in
            let content = Content(size: 20 << 20)
            let exchange = try await loop.start(
                store.request("a/b.bin", try uploadBody(content, range), overHTTP2: overHTTP2)
            )
            _ = try await exchange.receive(into: RecordingSink())

            #expect(exchange.head.version == (overHTTP2 ? .http2 : .http1_1))
            #expect(exchange.head.status == 201)
            expectBytes(store.folder.read("files/a/b.bin"), content, range)
        }
    }

    @Test(arguments: [false, true])
    func aBodyThatIsTooLargeForItIsAnsweredWith413(_ overHTTP2: Bool) async throws {
        try await withStore(limit: "1m") { store, loop in
            let body = try uploadBody(Content(size: 20 << 20), 0..<20 << 20)
            let exchange = try await loop.start(store.request("b.bin", body, overHTTP2: overHTTP2))
            _ = try await exchange.receive(into: RecordingSink())

            #expect(exchange.head.status == 413)
        }
    }
}
