import API
import Core
import ServiceSupport
import TestSupport
import Testing

/// `limits.max_bytes` of a session.
@Suite(.hangLimit)
struct QuotaTests {
    private static func withQuota(
        _ bytes: Int64,
        _ origin: Origin,
        _ body: (TestService, Origin) async throws -> Void
    ) async throws {
        defer { origin.stop() }
        try await withService { service in
            let put = try await service.request("PUT", "/sessions/s", #"{"limits":{"max_bytes":\#(bytes)}}"#)
            #expect(put.status == 201)
            #expect(try put.json["limits"]?["max_bytes"]?.integer == bytes)
            try await body(service, origin)
        }
    }

    private static func used(_ service: TestService) async throws -> Int64? {
        try await service.request("GET", "/sessions/s").json["used_bytes"]?.integer
    }

    private static func end(_ service: TestService, _ id: String) async throws -> Download {
        try await service.advanceClock(by: .seconds(1), until: id, .completed, .failed)
    }

    /// Small ones come through memory, large ones through a part file.
    @Test(arguments: [1000, 3_000_000] as [Int64])
    func aDownloadAboveTheQuotaFailsAndContinuesWhenRoomIsFree(_ size: Int64) async throws {
        try await Self.withQuota(size * 3 / 2, Origin(Content(size: size))) { service, origin in
            let first = try await service.add(origin.url("/1"), #","session":"s""#)
            #expect(try await Self.end(service, first).state == .completed)
            let second = try await service.add(origin.url("/2"), #","session":"s""#)
            let failed = try await Self.end(service, second)
            #expect(failed.state == .failed && failed.error?.error.code == .quotaExceeded)
            #expect(failed.error?.isRetried == false && failed.progress.durableBytes == 0)
            #expect(try await service.show(second)["error"]?["code"]?.text == "quota_exceeded")
            #expect(try await Self.used(service) == size)

            let patch = #"{"limits":{"max_bytes":\#(size * 2)}}"#
            #expect(try await service.request("PATCH", "/sessions/s", patch).status == 200)
            try await service.act("retry", on: second)
            #expect(try await Self.end(service, second).state == .completed)
            #expect(try await Self.used(service) == size * 2)
        }
    }

    @Test func noByteIsTakenOfAFileThatHasNoRoom() async throws {
        let origin = Origin(Content(size: 50_000_000), script: [.pace(.stall(after: 100, until: Signal()))])
        try await Self.withQuota(40_000_000, origin) { service, origin in
            let id = try await service.add(origin.url(), #","session":"s""#)
            let failed = try await Self.end(service, id)

            #expect(failed.error?.error.code == .quotaExceeded)
            #expect(try await Self.used(service) == 0)
        }
    }

    @Test func aSizeThatIsNotKnownFailsAtTheByteThatHasNoRoom() async throws {
        let origin = Origin(Content(size: 3_000_000), script: [.framing(.chunked)])
        try await Self.withQuota(1_000_000, origin) { service, origin in
            let id = try await service.add(origin.url(), #","session":"s""#)
            let failed = try await Self.end(service, id)

            #expect(failed.error?.error.code == .quotaExceeded)
            let used = try #require(try await Self.used(service))
            #expect(used == failed.progress.durableBytes && used <= 1_000_000)

            _ = try await service.request("PATCH", "/sessions/s", #"{"limits":{"max_bytes":null}}"#)
            try await service.act("retry", on: id)
            #expect(try await Self.end(service, id).state == .completed)
            #expect(try await Self.used(service) == 3_000_000)
        }
    }

    @Test func aKnownSizeThatHasNoRoomIsRefused() async throws {
        try await Self.withQuota(1000, Origin(Content(size: 600))) { service, origin in
            let first = try await service.complete(origin.url("/1"), #","session":"s""#)
            let body = { (size: Int) in
                #"{"url":"\#(origin.url("/2"))","session":"s","expected":{"size_bytes":\#(size)}}"#
            }
            let refused = try await service.request("POST", "/downloads", body(600))
            #expect(refused.status == 507 && refused.problem == "quota-exceeded")
            #expect(try await service.request("POST", "/downloads", body(400)).status == 201)

            #expect(try await service.request("DELETE", "/downloads/\(first)").status == 204)
            #expect(try await service.request("POST", "/downloads", body(600)).status == 201)
        }
    }

    @Test func anotherSessionHasItsOwnRoom() async throws {
        try await Self.withQuota(1, Origin(Content(size: 600))) { service, origin in
            _ = try await service.complete(origin.url("/1"), #","session":"t""#)
            _ = try await service.complete(origin.url("/2"))
            #expect(try await Self.used(service) == 0)
            #expect(try await service.request("GET", "/sessions/t").json["used_bytes"]?.integer == 600)
        }
    }

    @Test(arguments: ["0", "-1", "1.5", #""1""#, "9007199254740992"])
    func aLimitIsAWholeNumberOfBytes(_ value: String) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            for method in ["PUT", "PATCH"] {
                _ = try await service.send("PUT", "/sessions/s", "{}")
                let response = try await service.request(method, "/sessions/s", #"{"limits":{"max_bytes":\#(value)}}"#)
                #expect(response.status == 400 && response.pointers == ["/limits/max_bytes"])
            }
        }
    }
}

extension QuotaTests {
    /// It comes too late to refuse the size, so that the record is refused: the bytes on the disk are nobody's.
    @Test(arguments: [2000, 3_000_000] as [Int64])
    func anUnrecordedGenerationLeavesNoPartFile(_ size: Int64) async throws {
        let gate = Signal()
        let origin = Origin(Content(size: size), script: [.pace(.stall(after: 100, until: gate)), .good])
        defer { origin.stop() }
        try await withService { service in
            let id = try await service.add(origin.url(), #","session":"s""#)
            try await service.wait(id, receives: 100)
            _ = try await service.send("PUT", "/sessions/s", #"{"limits":{"max_bytes":10}}"#)
            gate.fire()
            let failed = try await service.wait(id, .failed, .completed)

            #expect(failed.error?.error.code == .quotaExceeded && failed.progress.durableBytes == 0)
            try await service.hasNoParts()
            #expect(!service.logs.lines.contains { $0.contains("not recorded") })

            _ = try await service.send("PATCH", "/sessions/s", #"{"limits":{"max_bytes":null}}"#)
            try await service.act("retry", on: id)
            try await service.wait(id, .completed)
        }
    }
}
