import Core
import ServiceSupport
import Store
import TestSupport
import Testing

/// Deliveries across the end of a service.
@Suite(.hangLimit)
struct RestartTests {
    private let folder = TemporaryFolder()
    private let time = ManualTime()

    @Test func aDeliveryInFlightAtAStopIsSentAgain() async throws {
        let origin = Origin(Content(size: 100))
        let receiver = Origin(script: [.pace(.stallBeforeHead(until: Signal())), .page(204)])
        defer {
            origin.stop()
            receiver.stop()
        }
        var options = TestService.Options()
        options.webhookURL = receiver.url("/hook")
        let first = try await TestService(options, folder: folder, time: time)
        try await first.add(origin.url("/a"))
        await receiver.requests(atLeast: 1)
        async let end: Void = first.stop()
        // The delivery gets five seconds to end; it does not.
        let isOver = Signal()
        let clock = Task { try await time.turn(by: .seconds(1), until: "the end") { isOver.count > 0 ? () : nil } }
        try await end
        isOver.fire()
        try await clock.value

        try await withService(.with { $0.webhookURL = receiver.url("/hook") }, folder: folder, time: time) { _ in
            await receiver.requests(atLeast: 2)
        }

        let deliveries = receiver.deliveries
        #expect(Set(deliveries.map(\.id)).count == 1)
        #expect(Set(deliveries.map(\.request.body)).count == 1)
    }

    @Test func aBacklogGoesToTheAddressThatIsSetNow() async throws {
        let origin = Origin(Content(size: 100))
        let old = Origin(script: [.page(500)])
        let new = Origin(script: [.page(204)])
        defer { for server in [origin, old, new] { server.stop() } }
        try await withService(.with { $0.webhookURL = old.url("/hook") }, folder: folder, time: time) { service in
            try await service.add(origin.url("/a"))
            await old.requests(atLeast: 1)
            try await service.waitForDeliveries { try await service.store.isAnyDeliveryPending() ? () : nil }
        }

        try await withService(.with { $0.webhookURL = new.url("/other") }, folder: folder, time: time) { service in
            try await service.advanceClock(by: .seconds(1)) { new.requests.isEmpty ? nil : () }
        }

        #expect(old.requests.count == 1)
        #expect(new.deliveries.map(\.id) == old.deliveries.map(\.id))
    }

    @Test func anEndWithoutADispatcherIsDeliveredLater() async throws {
        let origin = Origin(Content(size: 100))
        let receiver = Origin(script: [.page(204)])
        defer {
            origin.stop()
            receiver.stop()
        }
        // The receiver is not there yet.
        let absent = ClosedPort()
        defer { withExtendedLifetime(absent) {} }
        try await withService(.with { $0.webhookURL = absent.url("/hook") }, folder: folder, time: time) { service in
            try await service.wait(try await service.add(origin.url("/a")), .completed)
        }

        try await withService(.with { $0.webhookURL = receiver.url("/hook") }, folder: folder, time: time) { service in
            try await service.advanceClock(by: .seconds(1)) { receiver.requests.isEmpty ? nil : () }
        }
        #expect(receiver.deliveries.map(\.type) == ["download.completed"])
    }
}
