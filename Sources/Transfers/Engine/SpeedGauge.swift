import Model

/// Speed over a sliding window: steady enough to read, quick enough to believe.
///
/// Instants are times since one that stays the same.
struct SpeedGauge {
    private let window: Duration
    private let spacing: Duration
    private var samples: [(at: Duration, bytes: Int64)] = []
    private var latest: Int64 = 0
    private var beganAt: Duration?
    private var changedAt: Duration?

    /// - Parameters:
    ///   - window: What the speed is the mean of.
    ///   - spacing: The least time between two samples that are kept.
    init(window: Duration = .seconds(5), spacing: Duration = .milliseconds(250)) {
        self.window = window
        self.spacing = spacing
    }

    mutating func begin(at bytes: Int64, now: Duration) {
        samples = [(now, bytes)]
        latest = bytes
        beganAt = now
        changedAt = now
    }

    mutating func advance(to bytes: Int64, now: Duration) {
        if bytes != latest { changedAt = now }
        latest = bytes
        guard let last = samples.last, now - last.at >= spacing else { return }
        samples.append((now, bytes))
        // One sample from before the window stays, so that the window is always covered.
        while samples.count > 2, now - samples[1].at > window { samples.removeFirst() }
    }

    func bytesPerSecond(at now: Duration) -> Double {
        guard let first = samples.first else { return 0 }
        let elapsed = (now - first.at).inSeconds
        return elapsed > 0 ? Double(latest - first.bytes) / elapsed : 0
    }

    /// How long it has been measuring.
    func age(at now: Duration) -> Duration { beganAt.map { now - $0 } ?? .zero }

    /// How long nothing has come.
    func silence(at now: Duration) -> Duration { changedAt.map { now - $0 } ?? .zero }
}
