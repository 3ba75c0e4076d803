import API
import Core
import ServiceSupport
import TestSupport
import Testing
import Transfer

/// What a client says about the requests to the origin: kept, shown without its values, changed, given up.
@Suite(.hangLimit)
struct OriginRequestTests {
    private static let all =
        #","authentication":{"scheme":"digest","username":"me","password":"canary"},"cookies":{"sid":"canary"}"#
        + #","method":"POST","body":{"text":"canary"},"request_headers":{"Content-Type":"text/plain"}"#

    private static func withDownload(
        _ members: String,
        _ body: (TestService, String) async throws -> Void
    ) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            try await body(service, try await service.add("http://a.example/f", members))
        }
    }

    private static func credentials(_ service: TestService, _ id: String) async throws -> RequestCredentials {
        try service.vault.credentials(of: try await service.record(id).request)
    }

    @Test func aRequestOfACredentialShowsNamesWithoutValues() async throws {
        try await Self.withDownload(Self.all) { service, id in
            let response = try await service.request("GET", "/downloads/\(id)")
            let json = try response.json

            #expect(json["method"]?.text == "POST" && json["body_bytes"]?.integer == 6)
            #expect(json["authentication"]?["scheme"]?.text == "digest" && json["authentication"]?.names == ["scheme"])
            #expect(json["cookies"]?["sid"]?.text == "REDACTED")
            #expect(!response.text.contains("canary") && !response.text.contains("\"me\""))
            let stored = try await Self.credentials(service, id)
            #expect(stored.authentication == .digest(username: "me", password: "canary"))
            #expect(stored.cookies.map(\.value) == ["canary"] && stored.postBody == Array("canary".utf8))
        }
    }

    @Test(arguments: [
        (#"{"authentication":null}"#, "authentication"), (#"{"cookies":null}"#, "cookies"),
        (#"{"cookies":{"sid":null}}"#, "cookies"), (#"{"method":"GET"}"#, "method"),
    ])
    func eachIsTakenAwayByItself(_ patch: String, _ member: String) async throws {
        try await Self.withDownload(Self.all) { service, id in
            let response = try await service.request("PATCH", "/downloads/\(id)", patch)

            #expect(response.status == 200)
            let stored = try await Self.credentials(service, id)
            #expect((stored.authentication == nil) == (member == "authentication"))
            #expect(stored.cookies.isEmpty == (member == "cookies"))
            #expect((stored.postBody == nil) == (member == "method"))
            #expect(stored.headers.count == 1)
        }
    }

    @Test(arguments: [
        (
            #"{"authentication":{"scheme":"bearer","token":"t"}}"#,
            RequestCredentials(authentication: .bearer(token: "t"))
        ),
        (
            #"{"cookies":{"a":"1","B":"2"}}"#,
            RequestCredentials(cookies: [.init(name: "a", value: "1"), .init(name: "B", value: "2")])
        ),
        (#"{"method":"POST"}"#, RequestCredentials(postBody: [])),
        (#"{"method":"POST","body":{"base64":"AP8="}}"#, RequestCredentials(postBody: [0, 255])),
    ])
    func eachIsGivenLater(_ patch: String, _ credentials: RequestCredentials) async throws {
        try await Self.withDownload("") { service, id in
            let response = try await service.request("PATCH", "/downloads/\(id)", patch)

            #expect(response.status == 200)
            #expect(try await Self.credentials(service, id) == credentials)
        }
    }

    @Test func aBodyIsChangedAndEmptied() async throws {
        try await Self.withDownload(Self.all) { service, id in
            let other = try await service.request("PATCH", "/downloads/\(id)", #"{"body":{"text":"ab"}}"#)
            let none = try await service.request("PATCH", "/downloads/\(id)", #"{"body":null}"#)

            #expect(try other.json["body_bytes"]?.integer == 2)
            #expect(try none.json["body_bytes"]?.integer == 0 && none.json["method"]?.text == "POST")
        }
    }

    @Test func anotherOriginIsToldNothingOfIt() async throws {
        try await Self.withDownload(Self.all) { service, id in
            let response = try await service.request("PATCH", "/downloads/\(id)", #"{"url":"http://b.example/f"}"#)
            let json = try response.json

            #expect(json["method"]?.text == "GET" && json["authentication"] == .null && json["cookies"]?.names == [])
            #expect(try await service.record(id).request.credentials == nil)
        }
    }

    @Test func userInformationAndAuthenticationTakeEachOthersPlace() async throws {
        try await Self.withDownload(Self.all) { service, id in
            _ = try await service.request("PATCH", "/downloads/\(id)", #"{"url":"http://u:p@a.example/f"}"#)
            let byURL = try await Self.credentials(service, id)
            let patch = #"{"authentication":{"scheme":"bearer","token":"t"}}"#
            _ = try await service.request("PATCH", "/downloads/\(id)", patch)
            let byMember = try await Self.credentials(service, id)

            #expect(byURL.authentication == nil && byURL.user == "u")
            #expect(byMember.authentication == .bearer(token: "t") && byMember.user == nil && byMember.password == nil)
        }
    }

    @Test(arguments: [
        ("http://u@a.example/", #","authentication":{"scheme":"bearer","token":"t"}"#, "/authentication"),
        (
            "http://a.example/",
            #","authentication":{"scheme":"bearer","token":"t"},"request_headers":{"authorization":"x"}"#,
            "/authentication"
        ),
        ("http://a.example/", #","cookies":{"a":"1"},"request_headers":{"cookie":"b=2"}"#, "/cookies"),
    ])
    func aCredentialGivenTwiceIsRefused(_ url: String, _ members: String, _ pointer: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let response = try await service.request("POST", "/downloads", #"{"url":"\#(url)"\#(members)}"#)

            #expect(response.status == 422)
            #expect(response.pointers == [pointer])
        }
    }

    @Test(arguments: [
        (#"{"body":{"text":"x"}}"#, 400, "/body"), (#"{"cookies":{"a":";"}}"#, 400, "/cookies/a"),
        (#"{"authentication":{"scheme":"basic"}}"#, 400, "/authentication/username"),
    ])
    func aChangeThatCannotBeSentIsRefused(_ patch: String, _ status: Int, _ pointer: String) async throws {
        try await Self.withDownload("") { service, id in
            let response = try await service.request("PATCH", "/downloads/\(id)", patch)

            #expect(response.status == status || response.status == 422)
            #expect(response.pointers == [pointer])
            #expect(try await service.record(id).request.credentials == nil)
        }
    }

    @Test(arguments: [
        (#"{"cookies":{"a":"1"}}"#, "/cookies"), (#"{"authentication":null}"#, "/authentication"),
        (#"{"method":"POST"}"#, "/method"), (#"{"request_headers":{"a":"1"}}"#, "/request_headers"),
    ])
    func theOriginRequestIsLockedAfterCompletion(_ patch: String, _ pointer: String) async throws {
        let origin = Origin(Content(size: 10))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.complete(origin.url())
            let response = try await service.request("PATCH", "/downloads/\(id)", patch)

            #expect(response.status == 409)
            #expect(response.problem == "field-locked")
            #expect(response.pointers == [pointer])
        }
    }

    @Test func theOriginRequestIsDroppedAtCompletion() async throws {
        let origin = Origin(Content(size: 10))
        defer { origin.stop() }
        try await withService { service in
            let members = #","authentication":{"scheme":"basic","username":"me"},"cookies":{"a":"1"},"method":"POST""#
            let id = try await service.complete(origin.url(), members)

            #expect(origin.requests.first?.method == "POST" && origin.requests.first?.value(of: "cookie") == "a=1")
            #expect(try await service.record(id).request.credentials == nil)
        }
    }
}
