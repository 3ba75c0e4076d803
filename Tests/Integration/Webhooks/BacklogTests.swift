import API
import Core
import Service
import ServiceSupport
import Store
import TestSupport
import Testing

/// What waits for a webhook whose receiver was gone.
@Suite(.hangLimit)
struct BacklogTests {
    /// A service with a webhook of a client, whose receiver answers as the script says.
    private static func with(
        _ script: [Behaviour],
        _ members: String = "",
        _ body: (TestService, _ receiver: Origin, _ path: String, _ file: String) async throws -> Void
    ) async throws {
        let origin = Origin(Content(size: 100))
        let receiver = Origin(Content(size: 100), script: script)
        defer {
            origin.stop()
            receiver.stop()
        }
        try await withService(.with { $0.jobs.webhooks.allowsHTTP = true }) { service in
            let made = try await service.send("POST", "/webhooks", #"{"url":"\#(receiver.url("/hook"))"\#(members)}"#)
            try await body(service, receiver, try #require(made["location"]), origin.url("/a.bin"))
        }
    }

    private static func failures(_ service: TestService, _ path: String) async throws -> Int64? {
        try await service.send("GET", path).json["stats"]?["failed"]?.integer
    }

    private static func count(_ service: TestService, _ path: String, _ state: String) async throws -> Int {
        try await service.send("GET", "\(path)/deliveries?state=\(state)&limit=100").json["items"]?.items.count ?? -1
    }

    /// So often that their next attempts are half an hour away.
    private static func fail(_ count: Int, _ service: TestService, _ path: String, _ file: String) async throws {
        for _ in 0..<count { try await service.add(file) }
        try await service.advanceClock(by: .seconds(5)) {
            try await failures(service, path) == Int64(3 * count) ? () : nil
        }
    }

    @Test func theFirstSuccessAfterAnOutageMakesTheBacklogDue() async throws {
        let script = Array(repeating: Behaviour.page(500), count: 9) + [.page(204)]
        try await Self.with(script) { service, receiver, path, file in
            try await Self.fail(3, service, path, file)
            // A minute later the receiver that was overloaded is not spared any more; no retry is due yet.
            service.time.advance(by: .seconds(61))
            #expect(receiver.requests.count == 9)
            try await service.add(file)

            await receiver.requests(atLeast: 13)
            try await service.waitForDeliveries { try await Self.count(service, path, "succeeded") == 4 ? () : nil }
            #expect(try await Self.count(service, path, "pending") == 0)
        }
    }

    /// One event that is refused forever is not sent again with each success of the others.
    @Test func aRefusedEventKeepsToItsScheduleWhileOthersAreTaken() async throws {
        let script = [Behaviour.page(500)] + Array(repeating: .page(204), count: 5) + [.page(500), .page(204)]
        try await Self.with(script) { service, receiver, path, file in
            try await service.add(file)
            await receiver.requests(atLeast: 1)
            for number in 1...5 {
                try await service.add(file)
                await receiver.requests(atLeast: 1 + number)
            }
            try await service.waitForDeliveries { try await Self.count(service, path, "succeeded") == 5 ? () : nil }

            #expect(receiver.requests.count == 6)
            #expect(try await Self.count(service, path, "pending") == 1)
        }
    }

    @Test func aRecoveryMakesWhatIsPendingDueNow() async throws {
        let script = Array(repeating: Behaviour.page(500), count: 6) + [.page(204)]
        try await Self.with(script) { service, receiver, path, file in
            try await Self.fail(2, service, path, file)
            let response = try await service.send(
                "POST",
                "\(path)/recover",
                #"{"created_after":"2025-12-31T23:00:00Z"}"#
            )

            #expect(response.status == 202)
            #expect(try response.json["scheduled"]?.integer == 2)
            await receiver.requests(atLeast: 8)
            try await service.waitForDeliveries { try await Self.count(service, path, "succeeded") == 2 ? () : nil }
        }
    }

    @Test func aRecoveryOfWhatIsPendingKeepsTheOrderOfASession() async throws {
        let script = [Behaviour.page(500), .page(500), .page(204)]
        try await Self.with(script, #","ordering":"session""#) { service, receiver, path, file in
            for _ in 0..<3 {
                let id = try await service.add(file, #","session":"s""#)
                try await service.wait(id, .completed)
            }
            try await service.advanceClock(by: .seconds(1)) {
                try await Self.failures(service, path) == 2 ? () : nil
            }
            _ = try await service.send("POST", "\(path)/recover", #"{"created_after":"2025-12-31T23:00:00Z"}"#)

            try await service.waitForDeliveries { try await Self.count(service, path, "pending") == 0 ? () : nil }
            let sequences = receiver.deliveries.map(\.sequence)
            #expect(sequences == sequences.sorted())
        }
    }

    @Test(arguments: [3600, 40 * 86_400])
    func aClockThatIsSetBackStallsNoDelivery(by seconds: Int64) async throws {
        try await Self.with([.page(500), .page(204)]) { service, receiver, path, file in
            try await service.add(file)
            try await service.waitForDeliveries { try await Self.failures(service, path) == 1 ? () : nil }
            service.time.setWall(by: .seconds(-seconds))
            let begin = service.time.elapsed

            try await service.advanceClock(by: .seconds(1)) { receiver.requests.count == 2 ? () : nil }

            #expect(service.time.elapsed - begin <= .seconds(900))
        }
    }
}
