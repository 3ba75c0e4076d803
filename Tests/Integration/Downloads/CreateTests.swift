import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// `POST /downloads`.
@Suite(.hangLimit)
struct CreateTests {
    private static func withIdle<Value>(
        _ options: TestService.Options = TestService.Options(),
        _ body: (TestService) async throws -> Value
    ) async throws -> Value {
        var options = options
        options.runsScheduler = false
        return try await withService(options) { try await body($0) }
    }

    @Test func aURLIsEnough() async throws {
        try await Self.withIdle { service in
            let response = try await service.request("POST", "/downloads", #"{"url":"https://a.example/f"}"#)
            let id = try #require(try response.json["id"]?.text)

            #expect(response.status == 201)
            #expect(response["location"] == "/downloads/\(id)")
            #expect(response["etag"] == #""1.0""#)
            #expect(try response.json["state"]?.text == "queued")
            #expect(try await service.request("GET", "/downloads/\(id)").body == response.body)
        }
    }

    @Test func aURLIsNormalisedAsBrowsersDo() async throws {
        try await Self.withIdle { service in
            let members = #""dedupe_key":"k","mirrors":["https://m\u00fcller.example/a b.bin"]"#
            let body = "{\"url\":\" https://b\u{FC}cher.example/a b.bin \",\(members)}"
            let made = try await service.request("POST", "/downloads", body)
            let shown = try made.json
            let path = try #require(made["location"])

            #expect(made.status == 201)
            #expect(shown["url"]?.text == "https://xn--bcher-kva.example/a%20b.bin")
            #expect(shown["name"]?.text == "a b.bin")
            #expect(shown["mirrors"]?.items.first?.text == "https://xn--mller-kva.example/a%20b.bin")
            let other = #"{"url":"https://xn--bcher-kva.example/a%20b.bin",\#(members)}"#
            #expect(try await service.request("POST", "/downloads", other)["location"] == path)
            let patch = "{\"url\":\"https://\u{FC}.example/\u{FC}\"}"
            let changed = try await service.request("PATCH", path, patch)
            #expect(try changed.json["url"]?.text == "https://xn--tda.example/%C3%BC")
        }
    }

    /// By a service that has only the rows: what has no column is gone with the one that answered the `POST`.
    @Test func everythingThatCanBeSaidIsShownAgain() async throws {
        let example = try #require(
            Contract.shared.root["paths"]?["/downloads"]?["post"]?["requestBody"]?["content"]?["application/json"]?[
                "examples"
            ]?["full"]?["value"]
        )
        let (folder, time) = (TemporaryFolder(), ManualTime())
        let options = TestService.Options.with { $0.runsScheduler = false }
        let made = try await withService(options, folder: folder, time: time) { service in
            try await service.request("POST", "/downloads", example.canonical)
        }
        let path = try #require(made["location"])
        let answer = try await withService(options, folder: folder, time: time) { service in
            try await service.request("GET", path)
        }
        let shown = try answer.json

        #expect(made.status == 201)
        #expect(answer.body == made.body)
        // Their secrets are hidden, or they are shown in another form.
        let others = ["url", "refresh_url", "request_headers", "authentication", "cookies", "expected", "start"]
        for name in example.names where !others.contains(name) {
            #expect(shown[name]?.canonical == example[name]?.canonical, "\(name)")
        }
        for name in try #require(example["expected"]).names {
            #expect(shown["expected"]?[name]?.canonical == example["expected"]?[name]?.canonical, "\(name)")
        }
        #expect(shown["request_headers"] == .object([.init("X-Key", .string("REDACTED"))]))
        #expect(shown["authentication"]?["scheme"]?.text == "digest")
        #expect(shown["cookies"] == .object([.init("session", .string("REDACTED"))]))
        #expect(shown["url"]?.text == "https://cdn.example/a.iso?REDACTED")
        #expect(shown["refresh_url"]?.text == "https://links.example/fresh?REDACTED")
    }

    @Test func aPostedRequestWithMirrorsIsRefused() async throws {
        try await Self.withIdle { service in
            let post = #"{"url":"https://a.example/f","method":"POST","body":{"text":"a"}"#
            let response = try await service.request(
                "POST",
                "/downloads",
                post + #","mirrors":["https://b.example/f"]}"#
            )

            #expect(response.status == 422)
            #expect(response.pointers == ["/mirrors"])

            let path = try #require(try await service.request("POST", "/downloads", post + "}")["location"])
            let change = try await service.request("PATCH", path, #"{"mirrors":["https://b.example/f"]}"#)
            #expect(change.status == 422)
        }
    }

    @Test(arguments: [
        ("", "invalid-json", []),
        ("{", "invalid-json", []),
        (#"{"url":"http://a.example/"} x"#, "invalid-json", []),
        ("\u{FEFF}{}", "invalid-json", []),
        (#"{"url":"http://a.example/","url":"http://b.example/"}"#, "invalid-json", []),
        (#"{"url":"http://a.example/","filename":"a\u0000b"}"#, "invalid-json", []),
        (#"{"url":"http://a.example/","filename":"\ud800"}"#, "invalid-json", []),
        (#"{"metadata":\#(String(repeating: "[", count: 100_000))"#, "invalid-json", []),
        (#"{"url":"http://a.example/","max_attempts":1e999999}"#, "invalid-json", []),
        ("[]", "invalid-request", [""]),
        ("{}", "invalid-request", ["/url"]),
        (#"{"url":7}"#, "invalid-request", ["/url"]),
        (#"{"url":"nonsense"}"#, "invalid-request", ["/url"]),
        (#"{"url":"file:/etc/passwd"}"#, "invalid-request", ["/url"]),
        (#"{"url":"a.example:80/f"}"#, "invalid-request", ["/url"]),
        (#"{"url":"http://a.example\\b"}"#, "invalid-request", ["/url"]),
        (#"{"urll":"http://a.example/"}"#, "invalid-request", ["/url", "/urll"]),
        (#"{"url":"http://a.example/","a/b":1,"c~d":1}"#, "invalid-request", ["/a~1b", "/c~0d"]),
        (#"{"url":"http://a.example/","limits":{"max_byte":1}}"#, "invalid-request", ["/limits/max_byte"]),
        (#"{"url":"http://a.example/","filename":"../x"}"#, "invalid-request", ["/filename"]),
        (#"{"url":"http://a.example/","directory":"/etc"}"#, "invalid-request", ["/directory"]),
        (#"{"url":"http://a.example/","directory":"{hour}"}"#, "invalid-request", ["/directory"]),
        (#"{"url":"http://a.example/","directory":"a}b"}"#, "invalid-request", ["/directory"]),
        (#"{"url":"http://a.example/","session":"-"}"#, "invalid-request", ["/session"]),
        (#"{"url":"http://a.example/","on_conflict":"ask"}"#, "invalid-request", ["/on_conflict"]),
        (#"{"url":"http://a.example/","max_attempts":0}"#, "invalid-request", ["/max_attempts"]),
        (#"{"url":"http://a.example/","deadline_at":"tomorrow"}"#, "invalid-request", ["/deadline_at"]),
        (#"{"url":"http://a.example/","request_headers":{"Host":"b"}}"#, "invalid-request", ["/request_headers/Host"]),
        (
            #"{"url":"http://a.example/","request_headers":{"If-none-match":"*"}}"#, "invalid-request",
            ["/request_headers/If-none-match"]
        ),
        (
            #"{"url":"http://a.example/","request_headers":{"X-A":"1","x-a":"2"}}"#, "invalid-request",
            ["/request_headers/x-a"]
        ),
        (
            #"{"url":"http://a.example/","request_headers":{"X-A":"b\r\nX-B: c"}}"#, "invalid-request",
            ["/request_headers/X-A"]
        ),
        (
            #"{"url":"http://a.example/","expected":{"digests":{"sha-256":"xyz"}}}"#, "invalid-request",
            ["/expected/digests/sha-256"]
        ),
        (
            #"{"url":"http://a.example/","expected":{"content_type":"zip"}}"#, "invalid-request",
            ["/expected/content_type"]
        ),
        (#"{"url":"http://a.example/","accept_html":"yes"}"#, "invalid-request", ["/accept_html"]),
        (#"{"url":"http://a.example/","preserve_mtime":1}"#, "invalid-request", ["/preserve_mtime"]),
    ])
    func aBodyThatCannotBeTakenIsRefusedWithItsPlace(
        _ body: String,
        _ problem: String,
        _ pointers: [String]
    ) async throws {
        try await Self.withIdle { service in
            let response = try await service.request("POST", "/downloads", body)

            #expect(response.status == 400)
            #expect(response.problem == problem)
            #expect(response.pointers.sorted() == pointers)
            #expect(try await service.request("GET", "/downloads").json["items"]?.items == [])
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1/", "address"), ("http://[::1]/", "address"), ("http://169.254.169.254/", "address"),
        ("http://a.example:25/", "port"),
    ])
    func aForbiddenDestinationIsRefusedWithItsReason(_ url: String, _ reason: String) async throws {
        try await Self.withIdle(.with { $0.jobs.destinations = .publicOnly(allowances: []) }) { service in
            let response = try await service.request("POST", "/downloads", #"{"url":"\#(url)"}"#)

            #expect(response.status == 403)
            #expect(response.problem == "destination-forbidden")
            #expect(try response.json["reason"]?.text == reason)
            #expect(response.pointers == ["/url"])
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1/", 403, "destination-forbidden"), ("http://a.example:25/", 403, "destination-forbidden"),
        ("ftp://a.example/f", 403, "destination-forbidden"), ("http://u:p@a.example/f", 400, "invalid-request"),
        ("/f", 400, "invalid-request"),
    ])
    func aMirrorIsCheckedAsTheURLIs(_ mirror: String, _ status: Int, _ problem: String) async throws {
        try await Self.withIdle(.with { $0.jobs.destinations = .publicOnly(allowances: []) }) { service in
            let id = try await service.add("http://a.example/")
            let mirrors = #""mirrors":["http://b.example/f","\#(mirror)"]"#
            for (method, path, body) in [
                ("POST", "/downloads", #"{"url":"http://a.example/",\#(mirrors)}"#),
                ("PATCH", "/downloads/\(id)", "{\(mirrors)}"),
            ] {
                let response = try await service.request(method, path, body)

                #expect(response.status == status)
                #expect(response.problem == problem)
                #expect(response.pointers == ["/mirrors/1"])
            }
        }
    }

    @Test func mirrorsAreShownWithoutTheirSecretsAndReplacedByAPatch() async throws {
        try await Self.withIdle { service in
            let members = #","mirrors":["http://b.example/f?sig=1#x","HTTP://B.example/f?sig=1"],"metalink":"keep""#
            let id = try await service.add("http://a.example/", members)
            let made = try await service.show(id)
            let patched = try await service.request("PATCH", "/downloads/\(id)", #"{"mirrors":["http://c.example/"]}"#)
            let cleared = try await service.request("PATCH", "/downloads/\(id)", #"{"mirrors":null}"#)

            #expect(made["mirrors"]?.words == ["http://b.example/f?REDACTED"])
            #expect(made["metalink"]?.text == "keep")
            #expect(try patched.json["mirrors"]?.words == ["http://c.example/"])
            #expect(try cleared.json["mirrors"]?.words == [])
        }
    }

    @Test(arguments: ["file:///etc/passwd", "gopher://a.example/", "tftp://a.example/f", "SCP://a.example/"])
    func anotherSchemeIsAnotherDestination(_ url: String) async throws {
        try await Self.withIdle { service in
            let id = try await service.add("http://a.example/")
            for (method, path) in [("POST", "/downloads"), ("PATCH", "/downloads/\(id)")] {
                let response = try await service.request(method, path, #"{"url":"\#(url)"}"#)

                #expect(response.status == 403)
                #expect(response.problem == "destination-forbidden")
                #expect(try response.json["reason"]?.text == "scheme")
            }
        }
    }

    @Test(arguments: ["http://a@b@c.example/", "http://a.example:0/", "http:///a", "http://a b.example/"])
    func theFaultOfAURLIsExplained(_ url: String) async throws {
        try await Self.withIdle { service in
            let response = try await service.request("POST", "/downloads", #"{"url":"\#(url)"}"#)
            let detail = try response.json["errors"]?.items.first?["detail"]?.text ?? ""

            #expect(response.status == 400)
            #expect(detail.contains(" ") && detail.hasSuffix("."))
        }
    }

    @Test func aDeadlineThatHasPassedCannotBeKept() async throws {
        try await Self.withIdle { service in
            let response = try await service.request(
                "POST",
                "/downloads",
                #"{"url":"http://a.example/","deadline_at":"2020-01-01T00:00:00Z"}"#
            )

            #expect(response.status == 422)
            #expect(response.pointers == ["/deadline_at"])
        }
    }

    @Test func aFullQueueSaysWhenToTryAgain() async throws {
        try await Self.withIdle(.with { $0.jobs.queueLimit = 2 }) { service in
            for _ in 0..<2 { try await service.add("http://a.example/") }
            let response = try await service.request("POST", "/downloads", #"{"url":"http://a.example/"}"#)

            #expect(response.status == 503)
            #expect(response.problem == "queue-full")
            #expect(response["retry-after"] == "10")
        }
    }

    @Test func aDedupeKeyLeadsToTheDownloadThatHasIt() async throws {
        try await Self.withIdle { service in
            let body = #"{"url":"http://a.example/","dedupe_key":"k"}"#
            let first = try await service.request("POST", "/downloads", body)
            let second = try await service.request("POST", "/downloads", body)

            #expect(first.status == 201)
            #expect(second.status == 200)
            #expect(second["location"] == first["location"])
            #expect(second.body == first.body)
        }
    }

    @Test func aServiceThatStopsTakesNothingNew() async throws {
        try await Self.withIdle { service in
            let id = try await service.add("http://a.example/")
            service.running.beginShutdown()
            let response = try await service.request("POST", "/downloads", #"{"url":"http://a.example/"}"#)

            #expect(response.status == 503)
            #expect(response.problem == "draining")
            #expect(response["retry-after"] != nil)
            #expect(try await service.request("GET", "/downloads/\(id)").status == 200)
            #expect(try await service.request("GET", "/readyz").status == 503)
            #expect(try await service.request("GET", "/livez").status == 200)
        }
    }
}
