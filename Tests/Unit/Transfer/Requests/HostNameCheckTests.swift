import Core
import Curl
import TestSupport
import Testing
import TransferRules

@testable import Transfer

/// Whether a name exists, asked of a resolver that answers slowly.
struct HostNameCheckTests {
    @Test func noMoreThanFourNamesAreResolvedAtOnce() async {
        let gate = Signal()
        let names = HostNameCheck { _ in
            await gate.wait()
            return true
        }
        let outcomes = await withTaskGroup(of: HostNameCheck.Outcome.self) { group in
            for number in 0..<8 { group.addTask { await names.check("\(number).example") } }
            var outcomes: [HostNameCheck.Outcome] = []
            for await outcome in group {
                outcomes.append(outcome)
                if outcomes.count == 4 { gate.fire() }
            }
            return outcomes
        }

        #expect(
            outcomes == [.notChecked, .notChecked, .notChecked, .notChecked, .unknown, .unknown, .unknown, .unknown]
        )
    }

    /// Or a client would learn under load which names there are.
    @Test(arguments: [HostNameCheck.Outcome.unknown, .notChecked])
    func aForbiddenNameLooksLikeAnUnknownOneWhetherItIsAskedOrNot(_ outcome: HostNameCheck.Outcome) {
        let host = "internal.example"
        let unknown = TransferFailure(beforeResponse: CurlError(.curl(6)), host: host, outcome)
        // It exists, so the resolver does not say that it is unknown.
        let forbidden = TransferFailure(
            beforeResponse: CurlError(.destinationRefused),
            host: host,
            outcome == .unknown ? .other : outcome
        )

        #expect(forbidden.error == unknown.error)
        #expect(forbidden.failureClass == unknown.failureClass)
    }
}
