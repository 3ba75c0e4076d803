import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// Variables in `directory`.
@Suite(.hangLimit)
struct DirectoryVariableTests {
    @Test func theFolderIsShownWithItsValues() async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let response = try await service.request(
                "POST",
                "/downloads",
                #"""
                {"url": "https://a.example/f", "session": "s", "labels": {"show": "../A/B"},
                 "directory": "{session}/{host}/{label:show}/{year}-{month}-{day}"}
                """#
            )
            let created = try #require(try response.json["created_at"]?.text)

            #expect(response.status == 201)
            #expect(try response.json["directory"]?.text == "s/a.example/_A_B/\(created.prefix(10))")
        }
    }

    @Test(arguments: [
        (#""directory": "{session}""#, "{session}"),
        (#""directory": "{label:show}", "labels": {"other": "x"}"#, "{label:show}"),
        (#""directory": "{label:show}", "labels": {"show": ".."}"#, "{label:show}"),
    ])
    func aVariableWithoutAValueIsRefused(_ members: String, _ variable: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let response = try await service.request(
                "POST",
                "/downloads",
                #"{"url": "https://a.example/f", \#(members)}"#
            )

            #expect(response.status == 422)
            #expect(response.pointers == ["/directory"])
            #expect(try response.json["errors"]?.items.first?["detail"]?.text?.contains(variable) == true)
            #expect(try await service.request("GET", "/downloads").json["items"]?.items == [])
        }
    }

    @Test func theFileIsInTheFolderOfItsValues() async throws {
        let content = Content(size: 1000)
        let origin = Origin(content)
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(
                origin.url("/a.bin"),
                #","directory":"{{x}}/{label:a}","labels":{"a":"b/c"}"#
            )
            try await service.wait(id, .completed)

            #expect(content.matches(fileAt: service.folder("downloads/{x}/b_c/a.bin")))
        }
    }
}
