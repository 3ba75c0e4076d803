import Core
import TestSupport
import TransferRules

/// A download from an origin with known limits, in ticks of five milliseconds.
struct RampSimulation {
    /// Bytes per second.
    var perConnection: Double
    var shared: Double
    var latency: Duration
    /// Whether a connection begins with ten packets for each latency, which double with each.
    var beginsSlowly = false
    /// How far each tick's bytes may differ from the rate.
    var noise: Double
    var remaining: Int64 = 100 << 30
    var ceiling = 16
    /// How long a connection that is one too many goes on, until its share is done.
    var shareTime: Duration = .seconds(1)

    var ramp = ConnectionRamp()
    var random = SplitMix64(seed: 1)
    private(set) var now: Duration = .zero
    /// Each number of connections that was wanted, and since when.
    private(set) var changes: [(at: Duration, desired: Int)] = [(.zero, 1)]
    private var received = 0.0
    /// When each connection brings its first byte.
    private var connections: [Duration] = []
    private var surplusEnds: Duration?

    static let tick: Duration = .milliseconds(5)

    init(
        perConnection: Double = .infinity,
        shared: Double = .infinity,
        latency: Duration = .milliseconds(20),
        noise: Double = 0
    ) {
        self.perConnection = perConnection
        self.shared = shared
        self.latency = latency
        self.noise = noise
    }

    var mostDesired: Int { changes.map(\.desired).max() ?? 0 }

    /// When so many were wanted for the first time.
    func firstTime(of desired: Int) -> Duration? { changes.first { $0.desired >= desired }?.at }

    /// For how long more than so many were wanted.
    func timeAbove(_ desired: Int) -> Duration {
        let ends = changes.dropFirst().map(\.at) + [now]
        return zip(changes, ends).reduce(.zero) { $1.0.desired > desired ? $0 + ($1.1 - $1.0.at) : $0 }
    }

    mutating func run(for time: Duration) {
        let end = now + time
        while now < end, remaining > 0 { step() }
    }

    private mutating func step() {
        now += Self.tick
        // To connect takes a latency, and the answer another.
        while connections.count < ramp.desired { connections.append(now + latency * 2) }
        dropSurplus()
        let working = connections.count { $0 <= now }
        let spread = noise > 0 ? Double.random(in: (1 - noise)...(1 + noise), using: &random) : 1
        let bytes = min(connections.reduce(0) { $0 + rate(since: $1) }, shared) * Self.tick.inSeconds * spread
        if working > 0 {
            received += bytes
            remaining -= Int64(bytes)
        }
        let before = ramp.desired
        ramp.update(
            RampReading(
                at: now,
                receivedBytes: Int64(received),
                connections: working,
                remainingBytes: remaining,
                roundTrip: working > 0 ? latency : nil,
                ceiling: ceiling
            )
        )
        if ramp.desired != before { changes.append((now, ramp.desired)) }
    }

    /// What a connection would bring whose first byte came at `start`, in bytes per second.
    private func rate(since start: Duration) -> Double {
        guard start <= now else { return 0 }
        guard beginsSlowly else { return perConnection }
        let latencies = min(Int((now - start) / latency), 40)
        return min(14_600 * Double(1 << latencies) / latency.inSeconds, perConnection)
    }

    private mutating func dropSurplus() {
        guard connections.count > ramp.desired else {
            surplusEnds = nil
            return
        }
        guard let end = surplusEnds else {
            surplusEnds = now + shareTime
            return
        }
        if now >= end { connections.removeLast(connections.count - ramp.desired) }
    }
}
