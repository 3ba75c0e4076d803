import Core
import Synchronization

/// Holds what comes to the limits of the server, of its session, of its host and of its download.
///
/// It can be used from any thread and never blocks: waiting transfers are resumed by one timer for all.
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

    /// A download counts as held back between two pieces, too.
    private static let recentTime = Duration.seconds(1)

    /// - Parameter shared: Those that hold until others are set.
    init(_ shared: SharedRates, time: TimeSource) {
        let allocator = RateAllocator(shared, at: time.elapsed)
        hasLimit = Atomic(allocator.isLimiting)
        self.time = time
        state = Mutex(State(allocator: allocator))
    }

    /// Whether there is any limit. Without one, this check is the only cost.
    var isLimiting: Bool { hasLimit.load(ordering: .relaxed) }

    // MARK: - Limits

    func rate(_ bytesPerSecond: Int64?, revision: Int64, session: SessionRate? = nil) -> DownloadRate {
        let now = time.elapsed
        let number = change { $0.addRate(bytesPerSecond, revision: revision, session: session, at: now) }
        // It may have a newer limit of its session, with which others wait no longer.
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

    /// The lowest limit of a download at a host, in bytes per second; nil for none.
    func strictest(for rate: DownloadRate, at authority: String) -> Int64? {
        isLimiting ? state.withLock { $0.allocator.strictest(forRate: rate.number, at: authority) } : nil
    }

    /// Whether a limit, and not the origin, determines a download's rate.
    func isHoldingBack(_ rate: DownloadRate) -> Bool {
        guard isLimiting, let until = state.withLock({ $0.allocator.blockedUntil(rate: rate.number) }) else {
            return false
        }
        return time.elapsed < until + Self.recentTime
    }

    /// When the next transfer is resumed, if all transfers wait for a rate limit; nil if one waits for anything else.
    var allWaitUntil: Duration? { state.withLock { $0.allocator.areAllWaiting ? $0.allocator.nextDue : nil } }

    private func change<Value>(_ body: (inout RateAllocator) -> Value) -> Value {
        state.withLock { state in
            defer { hasLimit.store(state.allocator.isLimiting, ordering: .relaxed) }
            return body(&state.allocator)
        }
    }

    // MARK: - Gates

    /// - Parameter resume: Resumes the transfer. Called on any thread.
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

    // MARK: - The timer

    private func wait(for timer: (due: Duration, number: Int)) {
        Task { [time, weak self] in
            try? await time.sleep(for: timer.due - time.elapsed)
            self?.timerFired(timer.number)
        }
    }

    private func timerFired(_ number: Int) {
        // An earlier one took its place.
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

/// The limit on one download's rate while it runs, shared by all its connections.
public final class DownloadRate: Sendable {
    let number: Int
    private let limiter: RateLimiter

    init(number: Int, limiter: RateLimiter) {
        self.number = number
        self.limiter = limiter
    }

    deinit {
        limiter.forget(rate: number)
    }

    /// Sets another limit, which holds at once.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: nil for no limit.
    ///   - revision: The revision of the download; an older one than the last is ignored.
    public func set(_ bytesPerSecond: Int64?, revision: Int64) {
        limiter.setRate(number, to: bytesPerSecond, revision: revision)
    }

    /// Whether any limit applies to it at a host: its own or a shared one.
    func isLimited(at authority: String) -> Bool { limiter.strictest(for: self, at: authority) != nil }

    /// In bytes per second; nil for no limit.
    public var bytesPerSecond: Int64? { limiter.bytesPerSecond(ofRate: number) }
}

/// Where the bytes of one answer pass the limits on their rate.
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

    /// How many of these bytes may be received now, at least one; nil to wait until the transfer is resumed.
    func allowance(for byteCount: Int) -> Int? {
        guard limiter.isLimiting else { return byteCount }
        return limiter.allowance(for: byteCount, at: number)
    }

    /// Records that this many of the allowed bytes were received.
    func spend(_ byteCount: Int) {
        guard limiter.isLimiting else { return }
        limiter.spend(byteCount, at: number)
    }
}

/// The limits that hold for downloads together, in bytes per second, but for those of sessions.
public struct SharedRates: Hashable, Sendable {
    /// Of all downloads; nil for no limit.
    public var server: Int64?
    /// Of those of one host and port; nil for no limit.
    public var perHost: Int64?
    /// Of those of single hosts (`host:port`), in place of `perHost`.
    public var hosts: [String: Int64]

    public init(server: Int64? = nil, perHost: Int64? = nil, hosts: [String: Int64] = [:]) {
        self.server = server
        self.perHost = perHost
        self.hosts = hosts
    }

    func rate(ofHost authority: String) -> Int64? { hosts[authority] ?? perHost }
}
