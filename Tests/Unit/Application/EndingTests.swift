import Core
import Testing

@testable import Application

struct EndingTests {
    @Test(arguments: [false, true])
    func theEndComesAfterTheBodyWhateverCameOfIt(_ fails: Bool) async {
        var steps: [String] = []
        var error: (any Error)?
        do {
            try await Finally.run {
                steps.append("body")
                if fails { throw CommandFailure(.software, "no") }
            } finally: {
                await Task.yield()
                steps.append("end")
            }
            steps.append("after")
        } catch let thrown {
            error = thrown
        }

        #expect(steps == (fails ? ["body", "end"] : ["body", "end", "after"]))
        #expect((error != nil) == fails)
    }
}

struct ShutdownBudgetTests {
    @Test(arguments: [Duration.milliseconds(1), .seconds(5), .seconds(25), .seconds(3600)])
    func whoeverComesLastHasTimeLeft(total: Duration) {
        let budget = ShutdownBudget(total: total)

        #expect(budget.requests + budget.webhooks < budget.services)
        #expect(budget.services < total)
    }
}
