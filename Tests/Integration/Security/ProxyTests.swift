import ServiceSupport
import TestSupport
import Testing

/// What proxies make of a request with the settings that they come with: a service without a token is for its machine
/// alone, and each of these would open it to whoever reaches the proxy.
@Suite(.hangLimit)
struct ProxyTests {
    struct Proxied: Sendable, CustomTestStringConvertible {
        let proxy: String
        /// The head with `TARGET` and `PORT` left open.
        let head: [String]

        var testDescription: String { proxy }

        func bytes(_ method: String, _ target: String, port: UInt16) -> [UInt8] {
            let lines = head.map {
                $0.replacing("METHOD", with: method).replacing("TARGET", with: target).replacing(
                    "PORT",
                    with: "\(port)"
                )
            }
            return Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
        }
    }

    /// Written from the known defaults of each program. `RealProxyTests` sends requests through the real ones.
    static let proxies = [
        // `proxy_pass http://127.0.0.1:8080;` and nothing else: HTTP/1.0, and the upstream's name as Host.
        Proxied(
            proxy: "nginx",
            head: [
                "METHOD TARGET HTTP/1.0", "Host: 127.0.0.1:PORT", "Connection: close", "User-Agent: a", "Accept: */*",
            ]
        ),
        Proxied(
            proxy: "nginx with proxy_params",
            head: [
                "METHOD TARGET HTTP/1.1", "Host: localhost", "X-Real-IP: 192.0.2.1", "X-Forwarded-For: 192.0.2.1",
                "X-Forwarded-Proto: http", "Connection: close",
            ]
        ),
        Proxied(
            proxy: "caddy reverse_proxy",
            head: [
                "METHOD TARGET HTTP/1.1", "Host: localhost", "User-Agent: a", "Accept: */*",
                "X-Forwarded-For: 192.0.2.1", "X-Forwarded-Host: localhost", "X-Forwarded-Proto: https",
                "Accept-Encoding: gzip", "Connection: close",
            ]
        ),
        Proxied(
            proxy: "haproxy with option forwardfor",
            head: ["METHOD TARGET HTTP/1.1", "host: localhost", "x-forwarded-for: 192.0.2.1", "connection: close"]
        ),
        Proxied(
            proxy: "Apache mod_proxy",
            head: [
                "METHOD TARGET HTTP/1.1", "Host: 127.0.0.1:PORT", "X-Forwarded-For: 192.0.2.1",
                "X-Forwarded-Host: localhost", "X-Forwarded-Server: localhost", "Connection: close",
            ]
        ),
        Proxied(
            proxy: "traefik",
            head: [
                "METHOD TARGET HTTP/1.1", "Host: localhost", "X-Forwarded-For: 192.0.2.1", "X-Forwarded-Port: 80",
                "X-Forwarded-Server: a", "X-Real-Ip: 192.0.2.1", "Connection: close",
            ]
        ),
        Proxied(
            proxy: "envoy",
            head: [
                "METHOD TARGET HTTP/1.1", "host: localhost", "x-forwarded-proto: http", "x-request-id: 1",
                "x-envoy-expected-rq-timeout-ms: 15000", "connection: close",
            ]
        ),
        Proxied(
            proxy: "varnish",
            head: [
                "METHOD TARGET HTTP/1.1", "Host: localhost", "X-Forwarded-For: 192.0.2.1", "Via: 1.1 a (Varnish/7.1)",
                "X-Varnish: 3", "Connection: close",
            ]
        ),
        Proxied(
            proxy: "squid",
            head: [
                "METHOD TARGET HTTP/1.1", "Host: localhost", "Via: 1.1 a (squid/5.7)", "X-Forwarded-For: 192.0.2.1",
                "Cache-Control: max-age=0", "Connection: close",
            ]
        ),
        Proxied(
            proxy: "cloudflared",
            head: [
                "METHOD TARGET HTTP/1.1", "Host: localhost", "Cf-Connecting-Ip: 192.0.2.1", "Cf-Ray: 1",
                "Connection: close",
            ]
        ),
        Proxied(
            proxy: "HTTP/1.0 alone",
            head: ["METHOD TARGET HTTP/1.0", "Host: localhost"]
        ),
    ]

    @Test(arguments: proxies)
    func withoutATokenWhatAProxySendsIsRefused(_ proxied: Proxied) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            for (method, target) in [("GET", "/downloads"), ("POST", "/downloads"), ("GET", "/events"), ("GET", "/no")]
            {
                let response = try await service.client.exchange(
                    proxied.bytes(method, target, port: service.client.port)
                )
                #expect(response.status == 401, "\(method) \(target)")
                #expect(response.problem == "unauthenticated")
            }
        }
    }

    /// Probes of load balancers speak HTTP/1.0 without a name.
    @Test(arguments: proxies + [Proxied(proxy: "a probe", head: ["METHOD TARGET HTTP/1.0"])])
    func healthIsAnsweredThroughAProxy(_ proxied: Proxied) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let response = try await service.client.exchange(proxied.bytes("GET", "/livez", port: service.client.port))

            #expect(response.status == 200)
        }
    }

    @Test(arguments: proxies)
    func withATokenAProxyMayBeInFront(_ proxied: Proxied) async throws {
        try await withService(
            .with {
                $0.runsScheduler = false
                $0.token = "token"
            }
        ) { service in
            var proxied = proxied
            proxied = Proxied(proxy: proxied.proxy, head: proxied.head + ["Authorization: Bearer token"])
            let response = try await service.client.exchange(
                proxied.bytes("GET", "/downloads", port: service.client.port)
            )
            #expect(response.status == 200)
        }
    }
}
