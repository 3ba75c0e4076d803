import API
import Foundation
import ServiceSupport
import TestSupport
import Testing

/// What the environment of the program would have its libraries do.
@Suite(.hangLimit)
struct EnvironmentTests {
    private let folder = TemporaryFolder()
    private let content = Content(size: 300_000)
    private let origin: Origin

    init() {
        let authority = TestAuthority()
        folder.write(authority.certificate, to: "authority.pem")
        origin = Origin(content, tls: TLSServer(authority.issue()))
    }

    /// Variables that would write secrets to a file, or lead requests elsewhere.
    private var variables: [String: String] {
        let nowhere = "http://127.0.0.1:1"
        return [
            "SSLKEYLOGFILE": folder("keys"), "https_proxy": nowhere, "HTTPS_PROXY": nowhere, "all_proxy": nowhere,
            "ALL_PROXY": nowhere, "CURL_CA_BUNDLE": folder("nothing"), "SSL_CERT_FILE": folder("nothing"),
            "SSL_CERT_DIR": folder("nothing"), "CURL_HOME": folder.path, "NETRC": folder("netrc"),
            "CURL_SSL_BACKEND": "nothing", "QLOGDIR": folder.path,
        ]
    }

    private func writeStoredPasswords() {
        folder.write("machine 127.0.0.1 login stored password stored\n", to: ".netrc")
        folder.write("machine 127.0.0.1 login stored password stored\n", to: "netrc")
        folder.write("user-agent = \"curlrc\"\n", to: ".curlrc")
    }

    private func expectNothingOfIt() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        #expect(!names.contains("keys"), "the keys of the connections are in a file")
        #expect(!names.contains { $0.hasSuffix("qlog") })
        #expect(origin.requests.count == 1)
        #expect(origin.requests.allSatisfy { $0.value(of: "authorization") == nil })
        #expect(origin.requests.allSatisfy { $0.value(of: "user-agent") != "curlrc" })
        origin.stop()
    }

    @Test func itsVariablesChangeNothingOfWhatGetDoes() async throws {
        writeStoredPasswords()
        let program = try await Program(
            Program.cormorantPath,
            ["get", "--directory", folder("files"), "--ca-file", folder("authority.pem"), origin.url("/a")],
            environment: variables.merging(["PATH": "/usr/bin:/bin", "HOME": folder.path]) { $1 }
        )
        let result = try await program.result()

        #expect(result.exitCode == 0, Comment(rawValue: result.errors))
        #expect(content.matches(fileAt: folder("files/a")))
        expectNothingOfIt()
    }

    @Test func itsVariablesChangeNothingOfWhatTheServiceDoes() async throws {
        writeStoredPasswords()
        let service = try await ServiceProcess(
            dataFolder: folder("data"),
            arguments: ["--min-free-bytes", "0", "--ca-file", folder("authority.pem")],
            environment: variables.merging(["HOME": folder.path]) { $1 }
        )
        let client = ServiceClient(port: service.port)
        let id = try #require(try await client.post("/downloads", #"{"url":"\#(origin.url("/a"))"}"#).json["id"]?.text)
        try await client.wait(id, "state", "completed")

        #expect(content.matches(fileAt: folder("data/downloads/a")))
        expectNothingOfIt()
        #expect(try await service.terminate() == 0)
    }

    /// Whom OpenSSL itself would trust is none of the service's business: `ca_file` says it.
    @Test func aCertificateThatTheEnvironmentAloneTrustsIsNotTrusted() async throws {
        let program = try await Program(
            Program.cormorantPath,
            ["get", "--directory", folder("files"), "--retry-for", "1s", origin.url("/a")],
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": folder.path, "SSL_CERT_FILE": folder("authority.pem"),
                "CURL_CA_BUNDLE": folder("authority.pem"),
            ]
        )

        #expect(try await program.result().exitCode != 0)
        #expect(origin.requests.isEmpty)
        origin.stop()
    }
}

/// How the program is linked.
@Suite(.hangLimit)
struct HardeningTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../scripts/hardening").standardizedFileURL.path
    private static let hasTool = FileManager.default.isExecutableFile(atPath: "/usr/bin/readelf")

    /// A development build finds the toolchain's libraries by a path of its own; a release has none, which the
    /// Dockerfile and `scripts/run` hold.
    @Test(.enabled(if: hasTool, "readelf (binutils) is missing"))
    func theProgramsTablesAreReadOnlyOnceItRuns() async throws {
        let check = try await Program(
            Self.script,
            ["--development", Program.cormorantPath],
            environment: ["PATH": "/usr/bin:/bin"]
        ).result()

        #expect(check.exitCode == 0, "\(check.errors)")
    }
}
