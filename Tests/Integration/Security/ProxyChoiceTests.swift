import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing
import Transfer

/// Which proxy a client may name, and how it is shown.
@Suite(.hangLimit)
struct ProxyChoiceTests {
    @Test func aProxyIsShownWithoutUserAndPasswordAndCanBeChanged() async throws {
        try await withIdleService { service in
            let id = try await service.add("http://a.example/f", #","proxy":"socks5h://me:canary@proxy.example:1080""#)
            let made = try await service.request("GET", "/downloads/\(id)")
            let none = try await service.request(
                "PATCH",
                "/downloads/\(id)",
                #"{"proxy":"none","url":"http://b.example/"}"#
            )
            let stored = try await service.request("PATCH", "/downloads/\(id)", #"{"url":"http://c.example/"}"#)
            let cleared = try await service.request("PATCH", "/downloads/\(id)", #"{"proxy":null}"#)

            #expect(try made.json["proxy"]?.text == "socks5h://proxy.example:1080")
            #expect(!made.text.contains("canary"))
            #expect(try none.json["proxy"]?.text == "none" && stored.json["proxy"]?.text == "none")
            #expect(try cleared.json["proxy"] == .null)
            #expect(try await service.record(id).request.credentials == nil)
        }
    }

    @Test(arguments: ["proxy.example:1080", "ftp://p:1", "http://p", "direct", ""])
    func invalidProxiesAreRefused(_ text: String) async throws {
        try await withIdleService { service in
            let response = try await service.request(
                "POST",
                "/downloads",
                #"{"url":"http://a.example/","proxy":"\#(text)"}"#
            )

            #expect(response.status == 400)
            #expect(response.pointers == ["/proxy"])
        }
    }

    @Test(arguments: ["none", "http://proxy.example:3128"])
    func noneIsChosenWhereTheOperatorDoesNotLetClients(_ text: String) async throws {
        try await withIdleService(jobs: with(ServiceSettings()) { $0.allowsClientProxies = false }) { service in
            let made = try await service.request(
                "POST",
                "/downloads",
                #"{"url":"http://a.example/","proxy":"\#(text)"}"#
            )
            let id = try await service.add("http://a.example/")
            let changed = try await service.request("PATCH", "/downloads/\(id)", #"{"proxy":"\#(text)"}"#)

            for response in [made, changed] {
                #expect(response.status == 403)
                #expect(try response.json["reason"]?.text == "proxy")
            }
            #expect(try await service.record(id).request.summary.proxy == nil)
        }
    }

    @Test(arguments: [
        ("http://10.0.0.1:3128", 403), ("http://proxy.example:22", 403), ("http://proxy.example:3128", 201),
    ])
    func theDestinationPolicyAppliesToAProxy(_ text: String, _ status: Int) async throws {
        try await withIdleService(jobs: with(ServiceSettings()) { $0.destinations = .publicOnly(allowances: []) }) {
            service in
            let response = try await service.request(
                "POST",
                "/downloads",
                #"{"url":"http://a.example/","proxy":"\#(text)"}"#
            )

            #expect(response.status == status)
        }
    }
}
