import API
import ServiceSupport
import TestSupport
import Testing

/// How a body is to come, whatever it says.
@Suite(.hangLimit)
struct BodyTests {
    /// The answer to a good body that comes with this field.
    private static func post(_ field: (String, String)) async throws -> ReceivedResponse {
        try await withService(.with { $0.runsScheduler = false }) { service in
            try await service.request("POST", "/downloads", #"{"url":"http://a.example/"}"#, fields: [field])
        }
    }

    @Test(arguments: [
        "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "", "application/json, x",
    ])
    func onlyJSONIsTakenAndTheCureIsNamed(_ type: String) async throws {
        let response = try await Self.post(("Content-Type", type))

        #expect(response.status == 415)
        #expect(try response.json["detail"]?.text?.contains("--json") == true)
        #expect(try response.json["accepted"]?.words == ["application/json"])
    }

    @Test(arguments: ["application/json", "Application/JSON; charset=utf-8"])
    func aTypeMayBeSpelledFreely(_ type: String) async throws {
        let response = try await Self.post(("Content-Type", type))

        #expect(response.status == 201)
    }

    @Test func acodedBodyIsNotTaken() async throws {
        let response = try await Self.post(("Content-Encoding", "gzip"))

        #expect(response.status == 415)
    }

    @Test(arguments: ["application/json-patch+json", "application/merge-patch+json"])
    func aPatchOfAnotherTypeIsToldWhatIsTaken(_ type: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let id = try await service.add("http://a.example/")
            let response = try await service.request(
                "PATCH",
                "/downloads/\(id)",
                "[]",
                fields: [("Content-Type", type)]
            )

            #expect(response.status == 415)
            #expect(response["accept-patch"] == "application/json")
            #expect(try response.json["accepted"]?.words == ["application/json"])
        }
    }

    @Test(arguments: [true, false])
    func aBodyThatIsTooLargeIsRefusedWithTheLimit(_ isAnnounced: Bool) async throws {
        try await withService(
            .with {
                $0.runsScheduler = false
                $0.maxBodyBytes = 1000
            }
        ) { service in
            let body = String(repeating: " ", count: 1001)
            let response =
                isAnnounced
                ? try await service.request("POST", "/downloads", body)
                : try await service.client.exchange(
                    Array(
                        """
                        POST /downloads HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                        Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n\
                        3e9\r\n\(body)\r\n0\r\n\r\n
                        """.utf8
                    )
                )

            #expect(response.status == 413)
            #expect(response.problem == "too-large")
            #expect(try response.json["limit_bytes"]?.integer == 1000)
            response.expectSafeFields()
        }
    }
}
