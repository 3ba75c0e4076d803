import Core
import Curl

/// The servers of a world. They live on when the process is killed.
final class Internet {
    private let origin: Origin
    private let receiver: Receiver
    let watch: TrafficWatch
    /// The longest pause between two pieces of a body, in milliseconds.
    private let longestPause: Int

    init(_ origin: Origin, _ receiver: Receiver, _ watch: TrafficWatch, longestPause: Int) {
        (self.origin, self.receiver, self.watch, self.longestPause) = (origin, receiver, watch, longestPause)
    }

    func answer(to request: TransferRequest) -> Answer {
        let isEvent = request.url.host == Receiver.host
        if !isEvent { watch.requestBegins(request) }
        var answer = isEvent ? receiver.answer(to: request) : origin.answer(to: request)
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
