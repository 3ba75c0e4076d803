import Model

/// Speed over a sliding window: steady enough to read, quick enough to believe.
struct SpeedGauge {
    private let window: Duration
    private let spacing: Duration
    private var samples: [(at: ContinuousClock.Instant, bytes: Int64)] = []
    private var latest: Int64 = 0
    private var beganAt: ContinuousClock.Instant?
    private var changedAt: ContinuousClock.Instant?

    /// - Parameters:
    ///   - window: What the speed is the mean of.
    ///   - spacing: The least time between two samples that are kept.
    init(window: Duration = .seconds(5), spacing: Duration = .milliseconds(250)) {
        self.window = window
        self.spacing = spacing
    }

    mutating func begin(at bytes: Int64, now: ContinuousClock.Instant) {
        samples = [(now, bytes)]
        latest = bytes
        beganAt = now
        changedAt = now
    }

    mutating func advance(to bytes: Int64, now: ContinuousClock.Instant) {
        if bytes != latest { changedAt = now }
        latest = bytes
        guard let last = samples.last, now - last.at >= spacing else { return }
        samples.append((now, bytes))
        // One sample from before the window stays, so that the window is always covered.
        while samples.count > 2, now - samples[1].at > window { samples.removeFirst() }
    }

    func bytesPerSecond(at now: ContinuousClock.Instant) -> Double {
        guard let first = samples.first else { return 0 }
        let elapsed = (now - first.at).inSeconds
        return elapsed > 0 ? Double(latest - first.bytes) / elapsed : 0
    }

    /// How long it has been measuring.
    func age(at now: ContinuousClock.Instant) -> Duration { beganAt.map { now - $0 } ?? .zero }

    /// How long nothing has come.
    func silence(at now: ContinuousClock.Instant) -> Duration { changedAt.map { now - $0 } ?? .zero }
}
