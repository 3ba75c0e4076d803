import Glibc
import Synchronization

/// The server's maintenance thread. It closes connections after their deadlines, ends streams whose clients have
/// disconnected, tries addresses again that no interface had, and stops the daemons, which is a blocking call.
///
/// It retains the core and the listeners until the stop, so a server that is never shut down continues to serve.
final class Housekeeper: Sendable {
    private enum Phase {
        case serving
        case stopping(deadline: Int64, waiters: [CheckedContinuation<Void, Never>])
        case stopped
    }

    /// How long the end of a stream may take to be sent, and the rest of a request to arrive. A client that accepts or
    /// sends no bytes must not delay the stop until the deadline.
    private static let clientMilliseconds: Int64 = 2000
    /// How long the responses to abandoned requests may take to be sent.
    private static let shutdownMilliseconds: Int64 = 1000
    /// The interval at which awaited addresses are tried again.
    private static let retryMilliseconds: Int64 = 1000
    /// The interval while a request, a stream or a socket is about to end.
    private static let shortStep: Int64 = 10

    private let core: ServerCore
    private let listeners: Listeners
    private let step: Int64
    private let phase = Mutex(Phase.serving)

    init(core: ServerCore, listeners: Listeners) {
        self.core = core
        self.listeners = listeners
        let shortest = min(core.configuration.headerDeadline, core.configuration.bodyDeadline).milliseconds
        step = min(250, max(Self.shortStep, shortest / 4))
    }

    /// - Returns: 0, or the `errno` if the thread could not be created.
    func start() -> Int32 {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let result = pthread_create(&thread, nil, runHousekeeper, context.toOpaque())
        if result == 0 { pthread_detach(thread) } else { context.release() }
        return result
    }

    /// Returns when the daemon has stopped. The earliest deadline of all callers applies.
    func stop(within limit: Duration) async {
        let deadline = MonotonicClock.now + limit.milliseconds
        await withCheckedContinuation { continuation in
            let isStopped = phase.withLock { phase in
                switch phase {
                case .serving:
                    phase = .stopping(deadline: deadline, waiters: [continuation])
                    return false
                case .stopping(let earlier, let waiters):
                    phase = .stopping(deadline: min(earlier, deadline), waiters: waiters + [continuation])
                    return false
                case .stopped:
                    return true
                }
            }
            if isStopped { continuation.resume() }
        }
    }

    fileprivate func run() {
        var nextTry = MonotonicClock.now + Self.retryMilliseconds
        while stopDeadline == nil {
            tick(step)
            guard MonotonicClock.now >= nextTry else { continue }
            listeners.retry(for: core)
            nextTry = MonotonicClock.now + Self.retryMilliseconds
        }
        stopListening()
        let clientDeadline = MonotonicClock.now + Self.clientMilliseconds
        while isBusy, let deadline = stopDeadline, MonotonicClock.now < deadline {
            core.limitClients(to: clientDeadline)
            tick(Self.shortStep)
        }
        core.suspensions.close()
        let shutdownDeadline = MonotonicClock.now + Self.shutdownMilliseconds
        while !core.suspensions.isZero || (isBusy && MonotonicClock.now < shutdownDeadline) {
            // Repeated, because a handler may not have reached its first suspension yet.
            core.abandonHandlers()
            tick(Self.shortStep)
        }
        listeners.stop()
        while !core.closing.isEmpty, MonotonicClock.now < shutdownDeadline { tick(Self.shortStep) }
        core.closing.closeAll()
        finish()
    }

    /// Refuses new connections. Requests on open connections still get their responses.
    private func stopListening() {
        core.isShuttingDown.store(true, ordering: .relaxed)
        listeners.quiesce()
    }

    private func tick(_ milliseconds: Int64) {
        let isHurried = !core.closing.isEmpty
        // The sleep blocks only this thread. There is no event for a passed deadline or for data on a half-closed
        // socket, so both are polled.
        usleep(UInt32(clamping: (isHurried ? min(milliseconds, Self.shortStep) : milliseconds) * 1000))
        let now = MonotonicClock.now
        core.connections.cutOverdue(at: now)
        for stream in core.connections.deserted { stream.abandon() }
        core.closing.discardInput(at: now)
    }

    private var isBusy: Bool { core.connections.all.contains { $0.isBusy } }

    private var stopDeadline: Int64? {
        phase.withLock { phase in
            if case .stopping(let deadline, _) = phase { deadline } else { nil }
        }
    }

    private func finish() {
        let waiters = phase.withLock { phase in
            defer { phase = .stopped }
            if case .stopping(_, let waiters) = phase { return waiters }
            return []
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// The thread's main function. It takes over the reference that `start()` retained.
private func runHousekeeper(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Housekeeper>.fromOpaque(context).takeRetainedValue().run()
    return nil
}

/// A monotonic clock in milliseconds (`CLOCK_MONOTONIC_COARSE`). It is accurate to a few milliseconds, which suffices
/// for deadlines of seconds, and is cheap enough to read for each request.
enum MonotonicClock {
    /// An instant later than any deadline.
    static let never = Int64.max

    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// Whole milliseconds, at least one.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
