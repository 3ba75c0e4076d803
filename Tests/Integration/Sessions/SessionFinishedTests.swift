import API
import Core
import ServiceSupport
import Store
import TestSupport
import Testing

/// `session.finished`: each time the last open download of a session ends, after all that happened in it.
@Suite(.hangLimit)
struct SessionFinishedTests {
    private static let count = 20

    /// A service, a receiver that takes all that it tells, and the origin of its downloads.
    private static func withReceiver(
        and origin: Origin,
        _ body: (_ service: TestService, _ receiver: Origin, _ origin: Origin) async throws -> Void
    ) async throws {
        let receiver = Origin(script: [.page(204)])
        defer { for server in [origin, receiver] { server.stop() } }
        try await withService(.with { $0.webhookURL = receiver.url("/hook") }) { service in
            try await body(service, receiver, origin)
        }
    }

    /// Were its downloads made one after the other, the first could end before the second is there.
    @Test func aBatchIsOneFinishOfItsSession() async throws {
        let origin = Origin(Content(size: 100))
        try await Self.withReceiver(and: origin) { service, receiver, origin in
            let items = (0..<Self.count).map { #"{"url":"\#(origin.url("/\($0)"))","session":"s"}"# }
            let body = #"{"items":[\#(items.joined(separator: ","))]}"#
            let response = try await service.send("POST", "/downloads/batch", body)
            let deliveries = await receiver.deliveries(atLeast: Self.count + 1)

            #expect(response.status == 201)
            #expect(deliveries.count { $0.type == "download.completed" } == Self.count)
            #expect(Set(deliveries.map(\.id)).count == Self.count + 1)
            let finished = try #require(deliveries.first { $0.type == "session.finished" })
            #expect(finished.data["counts"]?["completed"]?.integer == Int64(Self.count))
            #expect(finished.data["epoch"]?.integer == 1)
        }
    }

    @Test func aSessionFinishesOncePerEpochThoughItsDownloadsEndTogether() async throws {
        let gates = [Signal(), Signal()]
        let origin = Origin()
        for index in 0..<Self.count {
            for (round, gate) in gates.enumerated() {
                let isBad = index.isMultiple(of: 5)
                let stall = Behaviour { behaviour in
                    behaviour.pace = .stallBeforeHead(until: gate)
                    if isBad { behaviour.response = .page(status: 400) }
                }
                origin.serve("/\(round)/\(index)", Content(size: 100), script: [stall])
            }
        }
        try await Self.withReceiver(and: origin) { service, receiver, origin in
            for (round, gate) in gates.enumerated() {
                for index in 0..<Self.count {
                    try await service.add(origin.url("/\(round)/\(index)"), #","session":"s""#)
                }
                gate.fire()
                let all = await receiver.deliveries(atLeast: (round + 1) * (Self.count + 1))
                let deliveries = all.filter { $0.sequence > 0 }.sorted { $0.sequence < $1.sequence }
                    .suffix(Self.count + 1)
                let finished = deliveries.filter { $0.type == "session.finished" }

                #expect(finished.count == 1)
                #expect(finished.first?.sequence == deliveries.last?.sequence)
                let event = try #require(finished.first)
                #expect(Contract.shared.violations(event.json, schema: "SessionEvent") == [])
                #expect(event.data["epoch"]?.integer == Int64(round + 1))
                #expect(event.data["counts"]?["completed"]?.integer == 16)
                #expect(event.data["counts"]?["failed"]?.integer == 4)
                #expect(event.data["failed_download_ids"]?.items.count == 4)
            }
        }
    }

    @Test func aPausedDownloadKeepsItsSessionOpen() async throws {
        try await Self.withReceiver(and: Origin(Content(size: 100))) { service, receiver, origin in
            let paused = try await service.add(origin.url("/a"), #","session":"s","start":false"#)
            try await service.wait(try await service.add(origin.url("/b"), #","session":"s""#), .completed)

            #expect(try await service.send("GET", "/sessions/s").json["open_count"]?.integer == 1)
            try await service.act("cancel", on: paused)
            let types = await receiver.deliveries(atLeast: 3).map(\.type)

            #expect(types.count { $0 == "session.finished" } == 1)
            #expect(try await service.send("GET", "/sessions/s").json["open_count"]?.integer == 0)
        }
    }

    @Test func aDownloadWithoutASessionFinishesNone() async throws {
        try await Self.withReceiver(and: Origin(Content(size: 100))) { service, receiver, origin in
            try await service.add(origin.url("/a"))
            await receiver.requests(atLeast: 1)
            try await service.add(origin.url("/b"))

            #expect(await receiver.deliveries(atLeast: 2).allSatisfy { $0.type == "download.completed" })
        }
    }
}

/// Clients, workers and the scheduler race for the end of a session.
@Suite(.hangLimit)
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

    @Test func aSessionFinishesOncePerEpochWhateverRaces() async throws {
        let gates = (0..<Self.rounds).map { _ in Signal() }
        let origin = Origin(Content(size: 100))
        let receiver = Origin(script: [.page(204)])
        for (round, gate) in gates.enumerated() {
            for index in 0..<4 {
                let stall = Behaviour { behaviour in
                    behaviour.pace = .stallBeforeHead(until: gate)
                    if index == 3 { behaviour.response = .page(status: 400) }
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
            #expect(replay.finishes == last && last >= Self.rounds)
            try await Self.check(receiver, finishes: Int(last))
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
    /// - Returns: How often the session has finished.
    private static func finish(_ service: TestService) async throws -> Int64 {
        try await service.wait(for: [.events, .downloads]) {
            let session = try await service.send("PATCH", "/sessions/s", #"{"action":"resume"}"#).json
            guard session["open_count"]?.integer == 0 else { return nil }
            return (session["counters"]?["epoch"]?.integer).map { $0 - 1 }
        }
    }

    /// Each finish is told to webhooks, too.
    private static func check(_ receiver: Origin, finishes: Int) async throws {
        var finished: [ReceivedDelivery] = []
        var count = finishes
        while Set(finished.map(\.id)).count < finishes {
            let all = await receiver.deliveries(atLeast: count)
            finished = all.filter { $0.type == "session.finished" }
            count = all.count + 1
        }
        let numbers = Dictionary(finished.map { ($0.id, $0.data["epoch"]?.integer) }) { $1 }.values.compactMap(\.self)
        #expect(numbers.sorted() == (1...Int64(finishes)).map(\.self))
        for event in finished {
            #expect(Contract.shared.violations(event.json, schema: "SessionEvent") == [])
            #expect(event.data["last_seq"]?.integer ?? .max < event.sequence)
        }
    }
}
