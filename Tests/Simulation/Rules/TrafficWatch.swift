import Core
import Curl
import TransferRules

/// What must hold of the requests of a process and of the bytes that it takes, while they happen.
final class TrafficWatch {
    private(set) var faults: [String] = []
    /// The bytes that the process has taken, by the downloads' numbers in their URLs.
    private var taken: [Int: Int64] = [:]
    private let rateLimit: Int64?
    private let keepsHolds: Bool
    private var beganAt: UInt64 = 0
    private var total: Int64 = 0
    private var holds: [String: Hold] = [:]

    /// What a host has asked for.
    private struct Hold {
        /// From then on the process knows of it.
        let from: UInt64
        let until: Timestamp
        /// The setting of the wall clock by which `until` was decided.
        let wallOffset: Int64
    }

    /// What other requests may still begin after a host has asked for patience, in nanoseconds.
    private static let reaction: UInt64 = 500_000_000

    /// - Parameter keepsHolds: Whether what a host asks for is recorded, as it is if no file call fails.
    init(rateLimit: Int64?, keepsHolds: Bool) { (self.rateLimit, self.keepsHolds) = (rateLimit, keepsHolds) }

    /// A process begins. It knows of the holds that the one before has had the time to record.
    func processBegins() {
        (beganAt, total, taken) = (World.current.now, 0, [:])
        holds = keepsHolds ? holds.filter { World.current.now > $0.value.from + Self.reaction } : [:]
    }

    /// The bytes that the process has taken for a download.
    func taken(by number: Int?) -> Int64 { number.flatMap { taken[$0] } ?? 0 }

    /// After a 429 with `Retry-After` no download sends its host a request before the end.
    func requestBegins(_ request: TransferRequest) {
        let world = World.current
        guard let hold = holds[request.url.authority], hold.wallOffset == world.wallOffset else { return }
        guard world.now > hold.from + Self.reaction, world.wall < hold.until else { return }
        faults.append("\(request.url.text) is asked for although its host is held until \(hold.until)")
    }

    func headArrives(_ head: ResponseHead, of request: TransferRequest) {
        let world = World.current
        guard head.status == 429, let seconds = head.fields.first(where: { $0.isNamed("Retry-After") })?.value else {
            return
        }
        let until = world.wall + .seconds(Int64(seconds) ?? 0)
        world.count("holds of hosts")
        holds[request.url.authority] = Hold(from: world.now, until: until, wallOffset: world.wallOffset)
    }

    /// No more is taken than the limit allows since the process began, and its burst.
    func bytesAreTaken(_ count: Int, of request: TransferRequest) {
        if let number = Origin.number(of: request.url) { taken[number, default: 0] += Int64(count) }
        guard let rateLimit else { return }
        total += Int64(count)
        let seconds = Double(World.current.now - beganAt) / 1e9
        let most = Double(rateLimit) * seconds + Double(TokenBucket.leastBurst)
        if Double(total) > most { faults.append("\(total) bytes were taken in \(seconds) s at \(rateLimit) a second") }
    }
}
