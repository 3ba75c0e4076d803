import Core
import Curl

/// The servers of a world. They live on when the process is killed.
final class Internet {
    private let origin: Origin
    private let receiver: Receiver
    /// The longest pause between two pieces of a body, in milliseconds.
    private let longestPause = [12, 100, 800][World.current.choices.number(below: 3, .mix)]

    init(_ origin: Origin, _ receiver: Receiver) { (self.origin, self.receiver) = (origin, receiver) }

    func answer(to request: TransferRequest) -> Answer {
        var answer = request.url.host == Receiver.host ? receiver.answer(to: request) : origin.answer(to: request)
        answer.longestPause = longestPause
        answer.latency = 1 + World.current.choices.number(below: 30, .network)
        return answer
    }

    /// As ``Network``, for one process.
    var network: Network {
        nonisolated(unsafe) let internet = self
        return Network(
            makeLoop: { (_, _) throws(CurlError) in SimulatedLoop(internet) },
            makeSingleLoop: { () throws(CurlError) in SimulatedLoop(internet) },
            isUnknownName: { _ in false }
        )
    }
}
