import Foundation
import ServiceSupport
import TestSupport
import Testing

/// The program behind proxies as they are installed, each with the least that makes it a proxy.
@Suite(.hangLimit)
struct RealProxyTests {
    enum Proxy: String, Sendable {
        case nginx, haproxy, caddy

        /// Where the program lies; nil where it is not installed.
        var path: String? { InstalledProgram.path(rawValue) }

        /// Its settings, from one port to another.
        func configuration(from port: UInt16, to upstream: UInt16, in folder: String) -> String {
            switch self {
            case .nginx:
                Nginx.configuration(
                    in: folder,
                    server: """
                        listen 127.0.0.1:\(port);
                        location / { proxy_http_version 1.0; proxy_pass http://127.0.0.1:\(upstream); }
                        """
                )
            case .haproxy:
                """
                defaults
                    mode http
                    option forwardfor
                    timeout connect 60s
                    timeout client 60s
                    timeout server 60s
                listen a
                    bind 127.0.0.1:\(port)
                    server b 127.0.0.1:\(upstream)

                """
            case .caddy:
                """
                {
                    admin off
                    auto_https off
                }
                http://127.0.0.1:\(port) {
                    reverse_proxy 127.0.0.1:\(upstream)
                }

                """
            }
        }

        func arguments(_ configuration: String) -> [String] {
            switch self {
            case .nginx: ["-c", configuration]
            case .haproxy: ["-f", configuration]
            case .caddy: ["run", "--adapter", "caddyfile", "--config", configuration]
            }
        }
    }

    /// HTTP/1.0 is the default before nginx 1.29.7. Over HTTP/1.1 it cannot be recognised (docs/decisions/0031).
    @Test(.enabled(if: Proxy.nginx.path != nil, "nginx is not installed"))
    func nginxOverHTTP10OpensNoServiceWithoutAToken() async throws { try await expectRefusals(by: .nginx) }

    @Test(.enabled(if: Proxy.haproxy.path != nil, "haproxy is not installed"))
    func haproxyThatNamesItsClientOpensNoServiceWithoutAToken() async throws { try await expectRefusals(by: .haproxy) }

    @Test(.enabled(if: Proxy.caddy.path != nil, "caddy is not installed"))
    func caddyOpensNoServiceWithoutAToken() async throws { try await expectRefusals(by: .caddy) }

    private func expectRefusals(by proxy: Proxy) async throws {
        let path = try #require(proxy.path)
        let folder = TemporaryFolder()
        let service = try await ServiceProcess(dataFolder: folder("data"), arguments: [])
        // None of them can choose a free port. Another process may bind this one first; then the test fails.
        let port = ClosedPort().port
        let settings = folder("settings")
        try Data(proxy.configuration(from: port, to: service.port, in: folder.path).utf8)
            .write(to: URL(fileURLWithPath: settings))
        let program = try await Program(
            path,
            proxy.arguments(settings),
            environment: ProcessInfo.processInfo.environment.merging(["HOME": folder.path]) { $1 }
        )
        defer { program.send(SIGKILL) }
        let client = HTTPClient(port: port)
        // It announces nothing that all three of them have in common.
        try await poll("an answer of 200", because: .readiness) {
            try? await client.send("GET", "/livez")
        } is: {
            $0?.status == 200
        }

        for (method, target) in [("GET", "/downloads"), ("POST", "/downloads"), ("GET", "/events")] {
            let response = try await client.send(method, target, body: method == "POST" ? Array("{}".utf8) : nil)
            #expect(response.status == 401, "\(method) \(target)")
        }
        #expect(try await service.terminate() == 0)
    }
}
