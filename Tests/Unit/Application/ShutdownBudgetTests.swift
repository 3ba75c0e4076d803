import Testing

@testable import Application

struct ShutdownBudgetTests {
    @Test(arguments: [Duration.milliseconds(1), .seconds(5), .seconds(25), .seconds(3600)])
    func theLastServiceHasShutdownTimeLeft(total: Duration) throws {
        let budget = ShutdownBudget(total: total)

        let services = try #require(budget.services)
        #expect(budget.requests + budget.webhooks < services)
        #expect(services < total)
    }
}
