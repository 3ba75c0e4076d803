public import Model

/// Rings at the earliest of the instants that it is set for, once, and forgets the others: whoever is rung for looks up
/// what is due next.
public actor Alarm {
    private let time: TimeSource
    private let ring: @Sendable () async -> Void
    private var due: Timestamp?
    private var timer: Task<Void, Never>?
    private var isStopped = false

    /// It rings too early rather than too late: a change of the wall clock is noticed within this time.
    private static let longestSleep = Duration.seconds(60)

    public init(time: TimeSource, ring: @escaping @Sendable () async -> Void) {
        self.time = time
        self.ring = ring
    }

    /// Rings at `instant`, or sooner if that is planned already.
    public func set(for instant: Timestamp) {
        if isStopped { return }
        if let due, due <= instant { return }
        timer?.cancel()
        due = instant
        let wait = min(max(instant - time.now, .zero), Self.longestSleep)
        timer = Task { [time] in
            guard (try? await time.sleep(for: wait)) != nil else { return }
            await fire()
        }
    }

    /// Rings no more.
    public func stop() {
        isStopped = true
        timer?.cancel()
    }

    private func fire() async {
        // An earlier instant took its place while it woke.
        if Task.isCancelled { return }
        (due, timer) = (nil, nil)
        await ring()
    }
}
