import Curl
import Dispatch
import Model
import Testing

@testable import Transfers

/// Whether a name exists, asked of a resolver that answers slowly.
struct NameCheckTests {
    @Test func beyondFourQuestionsNobodyAsks() async {
        let gate = DispatchSemaphore(value: 0)
        let names = NameCheck { _ in
            gate.wait()
            return true
        }
        let answers = await withTaskGroup(of: NameCheck.Answer.self) { group in
            for number in 0..<8 { group.addTask { await names.ask("\(number).example") } }
            var answers: [NameCheck.Answer] = []
            for await answer in group {
                answers.append(answer)
                if answers.count == 4 { for _ in 0..<4 { gate.signal() } }
            }
            return answers
        }

        #expect(answers == [.notAsked, .notAsked, .notAsked, .notAsked, .unknown, .unknown, .unknown, .unknown])
    }

    /// Or a client would learn under load which names there are.
    @Test(arguments: [NameCheck.Answer.unknown, .notAsked])
    func aForbiddenNameLooksLikeAnUnknownOneWhetherItIsAskedOrNot(_ answer: NameCheck.Answer) {
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
