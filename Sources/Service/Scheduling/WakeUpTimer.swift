public import Core
import Store

/// Fires once, at the earliest instant that was set, and discards the others. Its owner then sets the next one.
public actor WakeUpTimer {
    private let time: TimeSource
    private let onTimer: @Sendable () async -> Void
    private var due: Timestamp?
    private var timer: Task<Void, Never>?
    private var isStopped = false

    /// The timer fires early rather than late: a change of the wall clock is noticed within this time.
    private static let longestSleep = Duration.seconds(60)

    public init(time: TimeSource, onTimer: @escaping @Sendable () async -> Void) {
        self.time = time
        self.onTimer = onTimer
    }

    /// Fires at `instant`, or earlier if an earlier instant is set.
    public func set(for instant: Timestamp) {
        if isStopped { return }
        if let due, due <= instant { return }
        timer?.cancel()
        due = instant
        let end = time.elapsed + min(max(instant - time.now, .zero), Self.longestSleep)
        timer = Task { [time] in
            guard (try? await time.sleep(until: end)) != nil else { return }
            await fire()
        }
    }

    /// Cancels the timer permanently.
    public func stop() {
        isStopped = true
        timer?.cancel()
    }

    private func fire() async {
        // An earlier instant replaced this one while it woke.
        if Task.isCancelled { return }
        (due, timer) = (nil, nil)
        await onTimer()
    }
}
