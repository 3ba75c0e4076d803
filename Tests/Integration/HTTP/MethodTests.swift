import API
import Core
import ServiceSupport
import TestSupport
import Testing

@Suite(.hangLimit)
struct MethodTests {
    private static let id = "dl_01kdyak3seeejr3cp3tkjzc1rr"
    private static let paths = [
        ("/downloads", "GET, HEAD, POST, OPTIONS"), ("/downloads/batch", "POST, OPTIONS"),
        ("/downloads/\(id)", "GET, HEAD, PATCH, DELETE, OPTIONS"),
        ("/downloads/\(id)/file", "GET, HEAD, OPTIONS"), ("/downloads/\(id)/attempts", "GET, HEAD, OPTIONS"),
        ("/downloads/\(id)/segments", "GET, HEAD, OPTIONS"),
        ("/downloads/\(id)/events", "GET, HEAD, OPTIONS"), ("/events", "GET, HEAD, OPTIONS"),
        ("/tickets", "POST, OPTIONS"),
        ("/sessions", "GET, HEAD, OPTIONS"),
        ("/sessions/a", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"), ("/livez", "GET, HEAD, OPTIONS"),
        ("/readyz", "GET, HEAD, OPTIONS"),
        ("/openapi.yaml", "GET, HEAD, OPTIONS"), ("/openapi.json", "GET, HEAD, OPTIONS"),
        ("/problems/not-found", "GET, HEAD, OPTIONS"),
    ]

    @Test(arguments: paths)
    func anyOtherMethodIsToldTheMethodsOfThePath(_ path: String, _ allow: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "BREW"] where !allow.contains(method) {
                let hasBody = method != "GET" && method != "HEAD"
                let response = try await service.request(method, path, hasBody ? "{}" : nil)

                #expect(response.status == 405, "\(method)")
                #expect(response.problem == "method-not-allowed" || method == "HEAD")
                #expect(response["allow"] == allow)
            }
            let options = try await service.request("OPTIONS", path)
            #expect(options.status == 204)
            #expect(options["allow"] == allow)
            #expect(options.body.isEmpty)
        }
    }

    @Test func refusalsOfTheServerAreProblemDocuments() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let requests = [
                ("TRACE", "/downloads", 405), ("CONNECT", "a.example:80", 501), ("GET", "/a%2Fb", 400),
                ("GET", "/%00", 400), ("GET", "/a/../b", 400),
                ("GET", "/" + String(repeating: "a", count: 17 << 10), 414),
            ]
            for (method, target, status) in requests {
                let response = try await service.client.send(method, target)

                #expect(response.status == status, "\(method) \(target.prefix(20))")
                #expect(response["content-type"] == "application/problem+json")
                #expect(try response.json["status"]?.integer == Int64(status), "\(method) \(target.prefix(20))")
                response.expectSafeFields()
            }
        }
    }

    @Test func theWholeServiceMayBeAskedForItsMethods() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let whole = try await service.request("OPTIONS", "*")
            let nothing = try await service.request("OPTIONS", "/nothing")

            #expect(whole.status == 204)
            #expect(nothing.status == 404)
        }
    }

    /// A field that is no list has no meaning if it is there twice (RFC 9110, section 5.3), and browsers ignore some.
    @Test func noAnswerHasAFieldTwice() async throws {
        let origin = Origin(Content(size: 1000))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.complete(origin.url())
            let paths =
                Self.paths.map { $0.0.replacing(Self.id, with: "\(id)") } + ["/", "/nothing", "/stats", "/limits"]
            for path in paths where !path.hasSuffix("/events") {
                for (method, fields) in [
                    ("GET", [("Accept-Encoding", "gzip")]), ("GET", [("If-None-Match", "*")]), ("HEAD", []),
                    ("GET", [("Range", "bytes=1-2")]), ("OPTIONS", [("Origin", "http://a.example")]), ("BREW", []),
                ] as [(String, [(String, String)])] {
                    let response = try await service.request(method, path, fields: fields)
                    let names = response.fields.map(\.name)
                    #expect(Set(names).count == names.count, "\(method) \(path): \(names)")
                }
            }
        }
    }

    @Test func aHeadIsAGetWithoutTheBody() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let path = "/downloads/\(try await service.add("http://a.example/"))"
            for path in [
                path, "/downloads", "/sessions", "/livez", "/openapi.yaml", "/openapi.json", "/problems/busy",
                "/nothing",
            ] {
                let get = try await service.request("GET", path)
                let head = try await service.request("HEAD", path)

                #expect(head.status == get.status, "\(path)")
                #expect(head.body.isEmpty)
                #expect(head["content-type"] == get["content-type"])
                #expect(head["content-length"] == get["content-length"] || path == "/nothing")
                #expect(head["etag"] == get["etag"])
            }
        }
    }

    @Test(arguments: [
        "*/*", "application/json", "text/html, application/*;q=0.1", "", " ", ",", "application/json;q=0.5, */*;q=0",
        "APPLICATION/JSON; charset=utf-8", "application/*;q=0, application/json", "application/json; q=x",
    ])
    func aClientThatAcceptsJSONIsServed(_ accept: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let response = try await service.request("GET", "/downloads", fields: [("Accept", accept)])

            #expect(response.status == 200)
        }
    }

    @Test(arguments: [
        "text/html", "image/*", "application/xml", "application/json;q=0", "application/json;q=0, */*",
        "application/*;q=0.0, */*", "*/*;q=0", "application/problem+json",
    ])
    func aClientThatAcceptsNoJSONGets406(_ accept: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let response = try await service.request("GET", "/downloads", fields: [("Accept", accept)])

            #expect(response.status == 406)
            #expect(response.problem == "not-acceptable")
            #expect(try await service.request("GET", "/livez", fields: [("Accept", accept)]).status == 200)
        }
    }

    /// Its only body is that of a problem, so generated clients accept nothing else.
    @Test func aDeletionNeedsOnlyProblemsToBeAccepted() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let id = try await service.add("http://127.0.0.1:9/")
            let fields = [("Accept", "application/problem+json")]
            let refused = try await service.request("DELETE", "/downloads/\(id)", fields: fields)
            let deleted = try await service.request("DELETE", "/downloads/\(id)?force=true", fields: fields)

            #expect(refused.status == 409 && refused.problem == "not-terminal")
            #expect(deleted.status == 204)
        }
    }

    @Test(arguments: [
        ("POST", "/downloads"), ("GET", "/downloads/ID"), ("PATCH", "/downloads/ID"), ("DELETE", "/downloads/ID"),
        ("GET", "/downloads/ID/file"), ("GET", "/sessions/s"), ("GET", "/openapi.yaml"), ("GET", "/problems/busy"),
    ])
    func aParameterThatDoesNotExistIsASlipOfThePen(_ method: String, _ path: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let id = try await service.add("http://a.example/", #","session":"s""#)
            let body = method == "POST" ? #"{"url":"http://a.example/"}"# : #"{"action":"pause"}"#
            let path = path.replacing("ID", with: id)
            let hasBody = method == "POST" || method == "PATCH"
            let response = try await service.request(method, "\(path)?wait=1", hasBody ? body : nil)

            #expect(response.status == 400)
            #expect(response.problem == "invalid-request")
            #expect(try response.json["errors"]?.items.first?["parameter"]?.text == "wait")
            #expect(try await service.show(id)["state"]?.text == "queued")
        }
    }

    @Test(arguments: ["/livez", "/readyz"])
    func aProbeMayAddWhatItLikes(_ path: String) async throws {
        try await withService { service in
            try await service.isReady()

            #expect(try await service.request("GET", "\(path)?verbose&t=1").status == 200)
        }
    }

    @Test(arguments: ["a", "build-47.11_x", String(repeating: "r", count: 64)])
    func aRequestKeepsItsClientsName(_ name: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let response = try await service.request("GET", "/nothing", fields: [("X-Request-Id", name)])

            #expect(response["x-request-id"] == name)
            #expect(try response.json["request_id"]?.text == name)
            #expect(try response.json["instance"]?.text == "/requests/\(name)")
        }
    }

    @Test(arguments: ["", "a b", "é", "<script>", String(repeating: "r", count: 65)])
    func anyOtherNameIsReplaced(_ name: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let response = try await service.request("GET", "/nothing", fields: [("X-Request-Id", name)])

            #expect(response["x-request-id"]?.hasPrefix("req_") == true)
        }
    }

    @Test func everyProblemExplainsItself() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            for type in ProblemType.allCases {
                let response = try await service.request("GET", type.path)

                #expect(response.status == 200)
                #expect(response["content-type"] == "text/plain; charset=utf-8")
                #expect(response.text.contains("\(type.status)"))
            }
        }
    }

    @Test func theDescriptionThatIsServedIsThatOfTheProject() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let response = try await service.request("GET", "/openapi.yaml")

            #expect(response.text.hasPrefix("openapi: 3.1.0"))
            #expect(response.text.contains("operationId: createDownload"))
            let json = try await service.request("GET", "/openapi.json")
            #expect(try json.json.canonical == Contract.shared.root.canonical)
        }
    }

    @Test(arguments: ["/openapi.yaml", "/openapi.json"])
    func aClientThatHasTheDescriptionIsToldSo(_ path: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let first = try await service.request("GET", path)
            let etag = try #require(first["etag"])
            let again = try await service.request("GET", path, fields: [("If-None-Match", etag)])

            #expect(first["cache-control"] == "no-cache")
            #expect(again.status == 304 && again.body.isEmpty)
            #expect(again["content-length"] == first["content-length"])
        }
    }

    @Test func theDescriptionAsJSONIsCompressed() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let response = try await service.send("GET", "/openapi.json", fields: [("Accept-Encoding", "gzip")])

            #expect(response["content-encoding"] == "gzip")
            #expect(response["etag"]?.hasSuffix(".gzip\"") == true)
        }
    }
}
