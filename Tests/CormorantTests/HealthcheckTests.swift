@testable import cormorant
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(5)))
struct HealthcheckTests {
    @Test
    func aServiceThatAnswersLives() async throws {
        let origin = Origin()
        defer { origin.stop() }

        let result = try await CommandRun.result(of: ["healthcheck", "--server", origin.base])

        #expect(result.exitCode == 0)
        #expect(origin.requests.map(\.target) == ["/livez"])
    }

    @Test
    func itAsksWhereTheSettingsLetTheServiceListen() async throws {
        let origin = Origin()
        defer { origin.stop() }

        let result = try await CommandRun.result(
            of: ["healthcheck"],
            environment: ["CORMORANT_LISTEN": ":\(origin.port)"]
        )

        #expect(result.exitCode == 0)
        #expect(origin.requests.count == 1)
    }

    @Test
    func anAnswerOfAnotherStatusIsNoLife() async throws {
        let origin = Origin(script: [.page(503)])
        defer { origin.stop() }

        let result = try await CommandRun.result(of: ["healthcheck", "--server", origin.base])

        #expect(result.exitCode == 69)
        #expect(result.errors.contains("status 503"))
    }

    @Test
    func aPortThatNobodyListensOnIsNoLife() async throws {
        let origin = Origin()
        let base = origin.base
        origin.stop()

        #expect(try await CommandRun.result(of: ["healthcheck", "--server", base]).exitCode == 69)
    }

    @Test
    func aServerThatIsNoURLIsAUsageError() async throws {
        #expect(try await CommandRun.result(of: ["healthcheck", "--server", "here"]).exitCode == 64)
    }
}
