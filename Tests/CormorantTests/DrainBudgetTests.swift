@testable import cormorant
import Testing

struct DrainBudgetTests {
    @Test(arguments: [Duration.milliseconds(1), .seconds(5), .seconds(25), .seconds(3600)])
    func whoeverComesLastHasTimeLeft(total: Duration) {
        let budget = DrainBudget(total: total)

        #expect(budget.requests + budget.webhooks < budget.services)
        #expect(budget.services < total)
    }
}
