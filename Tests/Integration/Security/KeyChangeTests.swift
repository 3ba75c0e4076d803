import API
import Core
import ServiceSupport
import TestSupport
import Testing
import Transfer

/// Credentials that were sealed with a key that the service no longer has.
@Suite(.hangLimit)
struct KeyChangeTests {
    private static let headers = #","request_headers":{"Authorization":"secret","X-Key":"secret"}"#

    /// Makes a download under one key, and shows it to a service with another.
    private static func withAnotherKey(_ body: (TestService, String) async throws -> Void) async throws {
        let folder = TemporaryFolder()
        let id = try await withService(.with { $0.runsScheduler = false }, folder: folder) { service in
            try await service.add("http://a.example/f", headers)
        }
        try await withService(
            .with {
                $0.runsScheduler = false
                $0.key = [UInt8](repeating: 8, count: 32)
            },
            folder: folder
        ) { service in
            try await body(service, id)
        }
    }

    @Test(arguments: [
        #"{"labels":{"a":"1"}}"#, #"{"action":"pause","max_attempts":3}"#, #"{"url":"http://a.example/g"}"#,
    ])
    func anotherChangeLeavesThemForTheirKey(_ patch: String) async throws {
        try await Self.withAnotherKey { service, id in
            let sealed = try await service.record(id).request.credentials
            let response = try await service.request("PATCH", "/downloads/\(id)", patch)

            #expect(response.status == 200)
            #expect(try response.json["request_headers"]?.names == ["Authorization", "X-Key"])
            #expect(try await service.record(id).request.credentials == sealed)
        }
    }

    @Test(arguments: [
        #"{"request_headers":{"X-Other":"1"}}"#, #"{"request_headers":{"Authorization":"new"}}"#,
        #"{"url":"http://u:p@a.example/f"}"#,
    ])
    func aChangeThatWouldLoseSomeOfThemIsRefused(_ patch: String) async throws {
        try await Self.withAnotherKey { service, id in
            let sealed = try await service.record(id).request.credentials
            let response = try await service.request("PATCH", "/downloads/\(id)", patch)

            #expect(response.status == 422)
            #expect(response.problem == "unprocessable")
            #expect(response.pointers == ["/request_headers"])
            #expect(try await service.record(id).request.credentials == sealed)
        }
    }

    @Test(arguments: [
        #"{"request_headers":{"Authorization":"new","X-Key":"new"}}"#,
        #"{"request_headers":{"authorization":"new","x-key":null}}"#,
    ])
    func newOnesTakeTheirPlace(_ patch: String) async throws {
        try await Self.withAnotherKey { service, id in
            let response = try await service.request("PATCH", "/downloads/\(id)", patch)
            let credentials = try service.vault.credentials(of: try await service.record(id).request)

            #expect(response.status == 200)
            #expect(credentials.headers.allSatisfy { $0.value == "new" } && !credentials.headers.isEmpty)
        }
    }

    @Test(arguments: [#"{"request_headers":null}"#, #"{"url":"http://other.example/f"}"#])
    func theyAreGivenUpWhenToldSoOrForAnotherOrigin(_ patch: String) async throws {
        try await Self.withAnotherKey { service, id in
            let response = try await service.request("PATCH", "/downloads/\(id)", patch)

            #expect(response.status == 200)
            #expect(try response.json["request_headers"]?.names == [])
            #expect(try await service.record(id).request.credentials == nil)
        }
    }

    @Test func theDownloadIsNotAskedForUntilNewOnesAreGiven() async throws {
        let origin = Origin(Content(size: 100))
        defer { origin.stop() }
        let folder = TemporaryFolder()
        let id = try await withService(.with { $0.runsScheduler = false }, folder: folder) { service in
            try await service.add(origin.url("/f"), Self.headers)
        }
        try await withService(.with { $0.key = [UInt8](repeating: 8, count: 32) }, folder: folder) { service in
            let ended = try await service.wait(id, .failed, .completed)
            #expect(ended.error?.error.code == .authRequired)
            #expect(origin.requests.isEmpty)

            let patch = #"{"request_headers":{"Authorization":"new","X-Key":"new"},"action":"retry"}"#
            #expect(try await service.request("PATCH", "/downloads/\(id)", patch).status == 200)
            #expect(try await service.wait(id, .failed, .completed).state == .completed)
            #expect(origin.requests.last?.value(of: "X-Key") == "new")
        }
    }
}
