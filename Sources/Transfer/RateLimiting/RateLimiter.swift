import Core
import Synchronization

/// Limits the rate of received bytes: for the server, the session, the host and the download.
///
/// It can be used from any thread and never blocks. One timer resumes all waiting transfers.
final class RateLimiter: Sendable {
    fileprivate struct State {
        var allocator: RateAllocator
        /// The instant and the number of the current timer.
        var timer: (due: Duration, number: Int)?
        var lastTimer = 0
    }

    private let time: TimeSource
    private let state: Mutex<State>
    private let hasLimit: Atomic<Bool>

    /// How long a download counts as limited after its last wait. It covers the time between two pieces.
    private static let recentTime = Duration.seconds(1)

    /// - Parameter shared: The initial shared limits.
    init(_ shared: SharedRates, time: TimeSource) {
        let allocator = RateAllocator(shared, at: time.elapsed)
        hasLimit = Atomic(allocator.isLimiting)
        self.time = time
        state = Mutex(State(allocator: allocator))
    }

    /// Whether any limit is set. Without a limit, this check is the only cost.
    var isLimiting: Bool { hasLimit.load(ordering: .relaxed) }

    // MARK: - Limits

    func rate(_ bytesPerSecond: Int64?, revision: Int64, session: SessionRate? = nil) -> DownloadRate {
        let now = time.elapsed
        let number = change { $0.addRate(bytesPerSecond, revision: revision, session: session, at: now) }
        // The call may have changed the session's limit, so other transfers may continue.
        if session != nil { resumeDue() }
        return DownloadRate(number: number, limiter: self)
    }

    func setRate(_ number: Int, to bytesPerSecond: Int64?, revision: Int64) {
        let now = time.elapsed
        change { $0.setRate(number, to: bytesPerSecond, revision: revision, at: now) }
        resumeDue()
    }

    func setRate(of session: SessionRate) {
        let now = time.elapsed
        change { $0.setRate(of: session, at: now) }
        resumeDue()
    }

    func bytesPerSecond(of session: SessionName) -> Int64? {
        state.withLock { $0.allocator.bytesPerSecond(of: session) }
    }

    var shared: SharedRates { state.withLock { $0.allocator.shared } }

    func setShared(_ rates: SharedRates, number: Int) {
        let now = time.elapsed
        change { $0.setShared(rates, number: number, at: now) }
        resumeDue()
    }

    func forget(rate number: Int) { change { $0.removeRate(number) } }

    func bytesPerSecond(ofRate number: Int) -> Int64? { state.withLock { $0.allocator.bytesPerSecond(ofRate: number) } }

    /// The lowest limit of a download from a host, in bytes per second; nil if there is none.
    func strictest(for rate: DownloadRate, at authority: String) -> Int64? {
        isLimiting ? state.withLock { $0.allocator.strictest(forRate: rate.number, at: authority) } : nil
    }

    /// Whether a rate limit, and not the origin, determines the download's speed.
    func isHoldingBack(_ rate: DownloadRate) -> Bool {
        guard isLimiting, let until = state.withLock({ $0.allocator.blockedUntil(rate: rate.number) }) else {
            return false
        }
        return time.elapsed < until + Self.recentTime
    }

    /// Whether a rate limit delayed the download after `instant`.
    func hasHeldBack(_ rate: DownloadRate, after instant: Duration) -> Bool {
        isLimiting && state.withLock { $0.allocator.wasBlocked(rate: rate.number, after: instant) }
    }

    /// When the next transfer is resumed, if all transfers wait for a rate limit; nil if some transfer does not.
    var allWaitUntil: Duration? { state.withLock { $0.allocator.areAllWaiting ? $0.allocator.nextDue : nil } }

    private func change<Value>(_ body: (inout RateAllocator) -> Value) -> Value {
        state.withLock { state in
            defer { hasLimit.store(state.allocator.isLimiting, ordering: .relaxed) }
            return body(&state.allocator)
        }
    }

    // MARK: - Transfers

    /// - Parameter resume: Resumes the transfer. It may be called on any thread.
    func throttle(for rate: DownloadRate, authority: String, resume: @escaping @Sendable () -> Void) -> RateThrottle {
        let now = time.elapsed
        let number = state.withLock { state in
            state.allocator.addConsumer(.init(rate: rate.number, authority: authority, resume: resume), at: now)
        }
        return RateThrottle(number: number, limiter: self)
    }

    func close(throttle number: Int) { state.withLock { $0.allocator.removeConsumer(number) } }

    func allowance(for byteCount: Int, at throttle: Int) -> Int? {
        let now = time.elapsed
        let (allowed, timer) = state.withLock { state in
            let allowed = state.allocator.allowance(for: byteCount, at: throttle, now: now)
            return (allowed, allowed == nil ? state.setTimer() : nil)
        }
        if let timer { wait(for: timer) }
        return allowed
    }

    func spend(_ byteCount: Int, at throttle: Int) { state.withLock { $0.allocator.spend(byteCount, at: throttle) } }

    // MARK: - Timer

    private func wait(for timer: (due: Duration, number: Int)) {
        Task { [time, weak self] in
            try? await time.sleep(until: timer.due)
            self?.timerFired(timer.number)
        }
    }

    private func timerFired(_ number: Int) {
        // A newer timer replaced this one.
        guard state.withLock({ $0.removeTimer(number) }) else { return }
        resumeDue()
    }

    private func resumeDue() {
        let now = time.elapsed
        let (due, timer) = state.withLock { ($0.allocator.deliver(at: now), $0.setTimer()) }
        if let timer { wait(for: timer) }
        for resume in due { resume() }
    }
}

extension RateLimiter.State {
    /// - Returns: The timer to start; nil if the current one is early enough, or none is needed.
    fileprivate mutating func setTimer() -> (due: Duration, number: Int)? {
        guard let due = allocator.nextDue, timer.map({ due < $0.due }) ?? true else { return nil }
        lastTimer += 1
        timer = (due, lastTimer)
        return timer
    }

    fileprivate mutating func removeTimer(_ number: Int) -> Bool {
        guard timer?.number == number else { return false }
        timer = nil
        return true
    }
}

/// Applies the rate limits to the bytes of one response.
final class RateThrottle: Sendable {
    private let number: Int
    private let limiter: RateLimiter

    init(number: Int, limiter: RateLimiter) {
        self.number = number
        self.limiter = limiter
    }

    deinit {
        limiter.close(throttle: number)
    }

    /// How many of these bytes may be received now, at least one; nil if the transfer must wait until it is resumed.
    func allowance(for byteCount: Int) -> Int? {
        guard limiter.isLimiting else { return byteCount }
        return limiter.allowance(for: byteCount, at: number)
    }

    /// Records that `byteCount` of the allowed bytes were received.
    func spend(_ byteCount: Int) {
        guard limiter.isLimiting else { return }
        limiter.spend(byteCount, at: number)
    }
}

/// Rate limits that several downloads share, in bytes per second. Session limits are not included.
public struct SharedRates: Hashable, Sendable {
    /// The limit of all downloads together; nil for none.
    public var server: Int64?
    /// The limit of all downloads from one host and port; nil for none.
    public var perHost: Int64?
    /// The limits of specific hosts (`host:port`), which replace `perHost`.
    public var hosts: [String: Int64]

    public init(server: Int64? = nil, perHost: Int64? = nil, hosts: [String: Int64] = [:]) {
        self.server = server
        self.perHost = perHost
        self.hosts = hosts
    }

    func rate(ofHost authority: String) -> Int64? { hosts[authority] ?? perHost }
}
