import Core
import Curl
import Dispatch
import Testing
import TransferRules

@testable import Transfer

/// Whether a name exists, asked of a resolver that answers slowly.
struct HostNameCheckTests {
    @Test func beyondFourQuestionsNobodyAsks() async {
        let gate = DispatchSemaphore(value: 0)
        let names = HostNameCheck { _ in
            gate.wait()
            return true
        }
        let answers = await withTaskGroup(of: HostNameCheck.Answer.self) { group in
            for number in 0..<8 { group.addTask { await names.ask("\(number).example") } }
            var answers: [HostNameCheck.Answer] = []
            for await answer in group {
                answers.append(answer)
                if answers.count == 4 { for _ in 0..<4 { gate.signal() } }
            }
            return answers
        }

        #expect(answers == [.notAsked, .notAsked, .notAsked, .notAsked, .unknown, .unknown, .unknown, .unknown])
    }

    /// Or a client would learn under load which names there are.
    @Test(arguments: [HostNameCheck.Answer.unknown, .notAsked])
    func aForbiddenNameLooksLikeAnUnknownOneWhetherItIsAskedOrNot(_ answer: HostNameCheck.Answer) {
        let host = "internal.example"
        let unknown = TransferFailure(beforeAnswer: CurlError(.curl(6)), host: host, answer)
        // It exists, so the resolver does not say that it is unknown.
        let forbidden = TransferFailure(
            beforeAnswer: CurlError(.destinationRefused),
            host: host,
            answer == .unknown ? .other : answer
        )

        #expect(forbidden.error == unknown.error)
        #expect(forbidden.failureClass == unknown.failureClass)
    }
}
