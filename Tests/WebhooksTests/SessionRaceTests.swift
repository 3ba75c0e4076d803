import API
import Core
import ServiceSupport
import Testing
import TestSupport

/// Clients, workers and the scheduler race for the end of a session.
@Suite(.timeLimit(.minutes(5)))
struct SessionRaceTests {
    private static let rounds = 12
    private static let member = #","session":"s""#

    /// What clients do at the moment at which the last downloads end. Any answer will do.
    private static func requests(_ url: String, _ ids: [String]) -> [(method: String, path: String, body: String)] {
        let patches = ["pause", "resume", "cancel", "resume", "pause", "resume"].map { action in
            ("PATCH", "/sessions/s", #"{"action":"\#(action)"}"#)
        }
        let single = zip(ids, ["cancel", "pause", "resume", "cancel"]).map { id, action in
            ("PATCH", "/downloads/\(id)", #"{"action":"\#(action)"}"#)
        }
        let retries = ids.map { ("PATCH", "/downloads/\($0)", #"{"action":"retry"}"#) }
        let new = (0..<3).map { _ in ("POST", "/downloads", #"{"url":"\#(url)"\#(member)}"#) }
        return patches + single + retries + new
    }

    @Test func aSessionFinishesOnceForEachDrainWhateverRaces() async throws {
        let gates = (0..<Self.rounds).map { _ in Signal() }
        let origin = Origin(Content(size: 100))
        let receiver = Origin(script: [.page(204)])
        for (round, gate) in gates.enumerated() {
            for index in 0..<4 {
                let stall = Behaviour { behaviour in
                    behaviour.pace = .stallBeforeHead(until: gate)
                    if index == 3 { behaviour.answer = .page(status: 400) }
                }
                origin.serve("/\(round)/\(index)", Content(size: 100), script: [stall])
            }
        }
        defer { for server in [origin, receiver] { server.stop() } }
        try await withService(.with { $0.webhookURL = receiver.url("/hook") }) { service in
            var last: Int64 = 0
            for (round, gate) in gates.enumerated() {
                try await Self.race(round, gate, origin, service)
                last = try await Self.finish(service)
            }
            let replay = SessionReplay(try await service.store.events(of: "s"))

            #expect(replay.fault == nil)
            #expect(replay.drains == last && last >= Self.rounds)
            try await Self.check(receiver, drains: Int(last))
        }
    }

    private static func race(_ round: Int, _ gate: Signal, _ origin: Origin, _ service: TestService) async throws {
        var ids: [String] = []
        for index in 0..<4 { ids.append(try await service.add(origin.url("/\(round)/\(index)"), member)) }
        for id in ids { try await service.wait(id, .running) }
        let requests = Self.requests(origin.url("/free"), ids)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { gate.fire() }
            for (method, path, body) in requests {
                group.addTask { _ = try? await service.send(method, path, body) }
            }
        }
    }

    /// Lets what is left of a round end.
    ///
    /// - Returns: How often the session has drained.
    private static func finish(_ service: TestService) async throws -> Int64 {
        try await service.poll {
            let session = try await service.send("PATCH", "/sessions/s", #"{"action":"resume"}"#).json
            guard session["open_count"]?.integer == 0 else { return nil }
            return (session["epoch"]?.integer).map { $0 - 1 }
        }
    }

    /// Each drain is told to webhooks, too.
    private static func check(_ receiver: Origin, drains: Int) async throws {
        var finished: [ReceivedDelivery] = []
        var count = drains
        while Set(finished.map(\.id)).count < drains {
            let all = await receiver.deliveries(atLeast: count)
            finished = all.filter { $0.type == "session.finished" }
            count = all.count + 1
        }
        let numbers = Dictionary(finished.map { ($0.id, $0.data["epoch"]?.integer) }) { $1 }.values.compactMap(\.self)
        #expect(numbers.sorted() == (1...Int64(drains)).map(\.self))
        for event in finished {
            #expect(Contract.shared.violations(event.json, schema: "SessionEvent") == [])
            #expect(event.data["last_seq"]?.integer ?? .max < event.sequence)
        }
    }
}
