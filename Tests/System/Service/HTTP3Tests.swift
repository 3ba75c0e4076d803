import Curl
import Foundation
import ServiceSupport
import TestSupport
import Testing

/// Downloads with the setting `http3`, from nginx.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: CurlLibrary.hasHTTP3, "libcurl is built without HTTP/3"),
    .enabled(if: FileServer.path != nil, "nginx is not installed")
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

/// nginx with a file over TLS, with or without QUIC on the same port.
private final class FileServer: Sendable {
    let content = Content(size: 3 << 20)
    let url: String
    let authorityFile: String
    private let folder = TemporaryFolder()
    private let program: Program

    static var path: String? {
        let searched = "\(ProcessInfo.processInfo.environment["PATH"] ?? ""):/usr/sbin"
        return searched.split(separator: ":").map { "\($0)/nginx" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    init(hasHTTP3: Bool) async throws {
        let path = try #require(Self.path)
        let authority = TestAuthority()
        let identity = authority.issue()
        authorityFile = folder("authority.pem")
        // nginx takes no free port by itself; this one was free a moment ago.
        let port = ClosedPort().port
        url = "https://127.0.0.1:\(port)/file.bin"
        let files: [(String, Data)] = [
            ("authority.pem", Data(authority.certificate.utf8)),
            ("certificate.pem", Data(identity.certificate.utf8)),
            ("key.pem", Data(identity.key.utf8)),
            ("file.bin", Data(content.allBytes)),
            ("settings", Data(Self.settings(port, hasHTTP3: hasHTTP3, in: folder.path).utf8)),
        ]
        for (name, data) in files { try data.write(to: URL(fileURLWithPath: folder(name))) }
        program = try await Program(
            path,
            ["-c", folder("settings")],
            environment: ProcessInfo.processInfo.environment.merging(["HOME": folder.path]) { $1 }
        )
        // It announces nothing. A connection without TLS is enough.
        try await poll("nginx", because: .readiness) { [port] in
            try? await HTTPClient(port: port).send("GET", "/")
        } is: {
            $0 != nil
        }
    }

    func stop() { program.send(SIGKILL) }

    private static func settings(_ port: UInt16, hasHTTP3: Bool, in folder: String) -> String {
        """
        daemon off; master_process off; pid \(folder)/pid; error_log stderr;
        events {}
        http {
            access_log off;
            client_body_temp_path \(folder)/a; proxy_temp_path \(folder)/b; fastcgi_temp_path \(folder)/c;
            uwsgi_temp_path \(folder)/d; scgi_temp_path \(folder)/e;
            server {
                listen 127.0.0.1:\(port) ssl;
                \(hasHTTP3 ? "listen 127.0.0.1:\(port) quic;" : "")
                ssl_certificate \(folder)/certificate.pem;
                ssl_certificate_key \(folder)/key.pem;
                root \(folder);
            }
        }

        """
    }
}
