import Core
import ServiceSupport
import TestSupport
import Testing

/// Content coding of responses (RFC 9110, section 8.4).
@Suite(.hangLimit)
struct CompressionTests {
    private static let gzip = ("Accept-Encoding", "gzip, deflate, br")

    @Test func aLongListIsCompressed() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            for index in 0..<20 { try await service.add("http://a.example/\(index)") }
            let plain = try await service.request("GET", "/downloads")
            let compressed = try await service.request("GET", "/downloads", fields: [Self.gzip])

            #expect(plain["content-encoding"] == nil)
            #expect(plain["vary"] == "Accept-Encoding")
            #expect(compressed["content-encoding"] == "gzip")
            #expect(compressed["vary"] == "Accept-Encoding")
            #expect(compressed["content-length"] == "\(compressed.body.count)")
            #expect(compressed.body.count * 5 < plain.body.count)
            #expect(compressed.content == plain.body)
        }
    }

    @Test(arguments: [
        ("gzip", true), ("x-gzip;q=0.5", true), ("br, GZIP;q=1.0", true), ("*", true), ("gzip, identity", true),
        ("gzip;q=0", false), ("*;q=0", false), ("gzip;q=0, *", false), ("identity, gzip;q=0.5", false), ("br", false),
        ("", false),
    ])
    func theClientDecides(_ codings: String, isCompressed: Bool) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let path = "/downloads/\(try await service.add("http://a.example/"))"
            let response = try await service.request("GET", path, fields: [("Accept-Encoding", codings)])

            #expect(response["content-encoding"] == (isCompressed ? "gzip" : nil))
            #expect(response["vary"] == "Accept-Encoding")
        }
    }

    @Test func eitherFormsTagIsAPrecondition() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let path = "/downloads/\(try await service.add("http://a.example/"))"
            let plain = try #require(try await service.request("GET", path)["etag"])
            let compressed = try #require(try await service.request("GET", path, fields: [Self.gzip])["etag"])

            #expect(compressed == "\(plain.dropLast()).gzip\"")
            for tag in [plain, compressed, "W/\(compressed)"] {
                let known = try await service.request("GET", path, fields: [Self.gzip, ("If-None-Match", tag)])
                #expect(known.status == 304)
                #expect(known["etag"] == (tag == plain ? plain : compressed))
                #expect(known["vary"] == "Accept-Encoding")
            }
            let pause = #"{"action":"pause"}"#
            let weak = try await service.request("PATCH", path, pause, fields: [("If-Match", "W/\(compressed)")])
            let strong = try await service.request("PATCH", path, pause, fields: [("If-Match", compressed)])
            let late = try await service.request("PATCH", path, pause, fields: [("If-Match", compressed)])
            #expect(weak.status == 412)
            #expect(strong.status == 200)
            #expect(late.status == 412)
        }
    }

    @Test func aLongProblemIsCompressed() async throws {
        try await withService { service in
            let members = (0..<40).map { #""unknown_\#($0)":1"# }.joined(separator: ",")
            let response = try await service.request("POST", "/downloads", "{\(members)}", fields: [Self.gzip])

            #expect(response.status == 400)
            #expect(response["content-encoding"] == "gzip")
            #expect(try response.json["errors"]?.items.count == 20)
        }
    }

    @Test func aShortAnswerIsNotCompressed() async throws {
        try await withService { service in
            let response = try await service.request("GET", "/downloads", fields: [Self.gzip])

            #expect(response["content-encoding"] == nil)
            #expect(response["vary"] == nil)
        }
    }

    @Test func filesAndEventStreamsAreNotCompressed() async throws {
        let origin = Origin(Content(size: 4000))
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url())
            try await service.wait(id, .completed)
            let file = try await service.request("GET", "/downloads/\(id)/file", fields: [Self.gzip])
            let stream = try await service.listen("/downloads/\(id)/events", fields: [Self.gzip])

            #expect(file.body.count == 4000)
            #expect(file["content-encoding"] == nil)
            #expect(await stream.status == 200)
            #expect(await stream.fields["content-encoding"] == nil)
        }
    }

    @Test func aWebPageOfAnotherOriginGetsBothVaryNames() async throws {
        try await withService(.with { $0.corsOrigins = ["https://app.example"] }) { service in
            for index in 0..<2 { try await service.add("http://a.example/\(index)") }
            let fields = [Self.gzip, ("Origin", "https://app.example")]
            let response = try await service.request("GET", "/downloads", fields: fields)

            #expect(response["vary"] == "Accept-Encoding, Origin")
        }
    }
}
