import Curl
import Foundation
import ServiceSupport
import TestSupport
import Testing

/// Downloads with the setting `http3`, from nginx.
@Suite(
    .hangLimit,
    .enabled(if: CurlLibrary.hasHTTP3, "libcurl is built without HTTP/3"),
    .enabled(if: Nginx.path != nil, "nginx is not installed")
)
struct HTTP3Tests {
    @Test
    func aFileIsFetchedOverHTTP3() async throws {
        let server = try await FileServer(hasHTTP3: true)
        defer { server.stop() }

        #expect(try await versionOfDownload(from: server) == "3")
    }

    /// Its port refuses QUIC, as behind a network that drops UDP.
    @Test
    func aFileOfAServerWithoutHTTP3IsFetchedInAnotherVersion() async throws {
        let server = try await FileServer(hasHTTP3: false)
        defer { server.stop() }

        #expect(["1.1", "2"].contains(try await versionOfDownload(from: server)))
    }

    /// Downloads the file and compares its bytes.
    ///
    /// - Returns: The version of HTTP in which its response came.
    private func versionOfDownload(from server: FileServer) async throws -> String? {
        let folder = TemporaryFolder()
        let service = try await ServiceProcess(
            dataFolder: folder.path,
            arguments: ["--http3", "true", "--ca-file", server.authorityFile, "--min-free-bytes", "0"]
        )
        let client = ServiceClient(port: service.port)
        let id = try #require(try await client.post("/downloads", #"{"url": "\#(server.url)"}"#).json["id"]?.text)

        try await client.wait(id, "state", "completed")

        let download = try await client.get("/downloads/\(id)").json
        #expect(server.content.matches(fileAt: folder("downloads/file.bin")))
        #expect(try await service.terminate() == 0)
        return download["source"]?["http_version"]?.text
    }
}

/// nginx with a file over QUIC or over TLS.
private final class FileServer: Sendable {
    let content = Content(size: 3 << 20)
    let url: String
    let authorityFile: String
    private let folder = TemporaryFolder()
    private let nginx: Nginx

    init(hasHTTP3: Bool) async throws {
        let authority = TestAuthority()
        let identity = authority.issue()
        authorityFile = folder("authority.pem")
        // nginx cannot choose a free port. Another process may bind these first; then the test fails.
        let (port, clearPort) = (ClosedPort().port, ClosedPort().port)
        url = "https://127.0.0.1:\(port)/file.bin"
        folder.write(authority.certificate, to: "authority.pem")
        folder.write(identity.certificate, to: "certificate.pem")
        folder.write(identity.key, to: "key.pem")
        folder.write(content.allBytes, to: "file.bin")
        // It answers a request in clear text when it is ready.
        nginx = try await Nginx(
            in: folder,
            port: clearPort,
            server: Self.directives(port, clear: clearPort, hasHTTP3: hasHTTP3, in: folder.path)
        )
    }

    func stop() { nginx.stop() }

    /// With HTTP/3 nothing else is served on the port: libcurl connects by TCP too if QUIC takes a while, and on a busy
    /// machine that would be faster.
    private static func directives(_ port: UInt16, clear: UInt16, hasHTTP3: Bool, in folder: String) -> String {
        """
        listen 127.0.0.1:\(port) \(hasHTTP3 ? "quic" : "ssl"); listen 127.0.0.1:\(clear);
        ssl_certificate \(folder)/certificate.pem; ssl_certificate_key \(folder)/key.pem;
        root \(folder);
        """
    }
}
