import Core
import ServiceSupport
import Synchronization
import TestSupport
import Testing

@testable import Store

/// However an application comes to its end, what it opened is closed, and says so.
@Suite(.hangLimit)
struct ApplicationTests {
    private struct Failure: Error {}

    private static func isClosed(_ store: Store) async -> Bool {
        do {
            try await store.configureWebhook(nil, now: ManualTime().now)
            return false
        } catch {
            return error as? StoreError == .closed
        }
    }

    @Test func aStoppedApplicationClosesItsResources() async throws {
        let service = try await TestService(.init(), folder: TemporaryFolder(), time: ManualTime())
        try await service.stop()

        #expect(await Self.isClosed(service.store))
        #expect(service.logs.lines.count { $0.hasPrefix("notice stopped") } == 1)
    }

    @Test func anApplicationThatCannotStartClosesItsResources() async throws {
        let opened = Mutex<Store?>(nil)
        let options = TestService.Options.with {
            $0.prepare = { store in
                opened.withLock { $0 = store }
                throw Failure()
            }
        }
        await #expect(throws: Failure.self) {
            try await TestService(options, folder: TemporaryFolder(), time: ManualTime())
        }

        let store = try #require(opened.withLock { $0 })
        #expect(await Self.isClosed(store))
    }

    @Test func aFailedApplicationClosesItsResourcesAndReportsTheCause() async throws {
        let options = TestService.Options.with { $0.prepare = { $0.writer.stopWriting(.outcomeUnknown) } }
        let service = try await TestService(options, folder: TemporaryFolder(), time: ManualTime())
        try await service.logs.line(with: "notice stopped")

        await #expect(throws: StoreError.outcomeUnknown) { try await service.stop() }
        #expect(service.logs.lines.count { $0.hasPrefix("notice stopped") } == 1)
    }
}
