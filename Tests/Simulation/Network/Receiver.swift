import Core
import Curl

/// An endpoint for events.
final class Receiver {
    static let host = "hook.example"
    static let url = "http://hook.example/events"

    /// One request in so many is not answered with 2xx; 0 for none.
    private let failures: Int
    var isKind = false
    /// The ids of the events that it has accepted, and how often.
    private(set) var accepted: [String: Int] = [:]

    /// Whether it never answers.
    let isDead: Bool

    init(hasLastingFaults: Bool) {
        isDead = hasLastingFaults && World.current.choices.chance(oneIn: 2, .mix)
        failures = [0, 2, 5][World.current.choices.number(below: 3, .mix)]
    }

    func answer(to request: TransferRequest) -> Answer {
        let id = request.headers.first { $0.isNamed("webhook-id") }?.value ?? ""
        guard !isDead else { return Answer(CurlError(.headTimeout)) }
        var status = 200
        if failures > 0, !isKind, World.current.choices.chance(oneIn: failures, .network) {
            switch World.current.choices.number(below: 4, .network) {
            case 0: status = 500
            case 1: status = 404
            case 2: return Answer(CurlError(.headTimeout))
            // It has accepted the event, and the answer is lost.
            default:
                accepted[id, default: 0] += 1
                return Answer(CurlError(.curl(56), message: "reset"))
            }
        }
        if status == 200 { accepted[id, default: 0] += 1 }
        World.current.note("\(status) for \(id)")
        return Answer(
            ResponseHead(
                status: status,
                version: .http1_1,
                fields: [HeaderField("Content-Length", "0")],
                contentLength: 0
            )
        )
    }
}
