internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// The server's own thread: it cuts late connections, ends bodies that nobody reads any more, and stops the daemon,
/// which blocks.
///
/// It owns daemon, core and listening socket until the stop, so a server that nobody shuts down keeps serving.
final class Housekeeper: Sendable {
    private enum Life {
        case serving
        case stopping(deadline: Int64, waiters: [CheckedContinuation<Void, Never>])
        case stopped
    }

    /// How long a stream may take to leave, which has its end by then: one client that takes nothing does not hold the
    /// stop up until the deadline.
    private static let streamMilliseconds: Int64 = 2000
    /// How long the answers to abandoned requests may take to leave.
    private static let drainMilliseconds: Int64 = 1000
    /// The step while something is about to end.
    private static let shortStep: Int64 = 10

    private let core: ServerCore
    private let listener: ListeningSocket
    // nonisolated(unsafe): written once here; libmicrohttpd locks for itself.
    private nonisolated(unsafe) let daemon: OpaquePointer
    private let step: Int64
    private let life = Mutex(Life.serving)

    init(core: ServerCore, listener: ListeningSocket, daemon: OpaquePointer) {
        self.core = core
        self.listener = listener
        self.daemon = daemon
        let shortest = min(core.configuration.headerDeadline, core.configuration.bodyDeadline).milliseconds
        step = min(250, max(Self.shortStep, shortest / 4))
    }

    /// - Returns: 0, or the `errno` of a thread that the system refused.
    func start() -> Int32 {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let result = pthread_create(&thread, nil, runHousekeeper, context.toOpaque())
        if result == 0 { pthread_detach(thread) } else { context.release() }
        return result
    }

    /// Ends when the daemon is stopped. The earliest deadline of all callers holds.
    func stop(within limit: Duration) async {
        let deadline = MonotonicClock.now + limit.milliseconds
        await withCheckedContinuation { continuation in
            let isStopped = life.withLock { life in
                switch life {
                case .serving:
                    life = .stopping(deadline: deadline, waiters: [continuation])
                    return false
                case .stopping(let earlier, let waiters):
                    life = .stopping(deadline: min(earlier, deadline), waiters: waiters + [continuation])
                    return false
                case .stopped:
                    return true
                }
            }
            if isStopped { continuation.resume() }
        }
    }

    fileprivate func run() {
        while stopDeadline == nil { tick(step) }
        closeDoor()
        let streamDeadline = MonotonicClock.now + Self.streamMilliseconds
        while isBusy, let deadline = stopDeadline, MonotonicClock.now < deadline {
            core.limitStreams(to: streamDeadline)
            tick(Self.shortStep)
        }
        core.suspensions.close()
        let drainDeadline = MonotonicClock.now + Self.drainMilliseconds
        while !core.suspensions.isDrained || (isBusy && MonotonicClock.now < drainDeadline) {
            // Again each time: a handler may have been on its way into its first wait.
            core.abandonHandlers()
            tick(Self.shortStep)
        }
        MHD_stop_daemon(daemon)
        listener.close()
        while !core.lingering.isEmpty, MonotonicClock.now < drainDeadline { tick(Self.shortStep) }
        core.lingering.closeAll()
        finish()
    }

    /// New clients are turned away from here on; those that are connected get their answers.
    private func closeDoor() {
        core.isDraining.store(true, ordering: .relaxed)
        MHD_quiesce_daemon(daemon)
        // The descriptor itself stays open until the threads that may use it are gone.
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
    }

    private func tick(_ milliseconds: Int64) {
        let isHurried = !core.lingering.isEmpty
        // This is a thread of its own, so the sleep blocks nobody. It waits for time alone: nothing announces that a
        // deadline has passed or that a closing client has sent more, so both are looked at in steps.
        usleep(UInt32(clamping: (isHurried ? min(milliseconds, Self.shortStep) : milliseconds) * 1000))
        let now = MonotonicClock.now
        core.connections.cutOverdue(at: now)
        for stream in core.connections.deserted { stream.abandon() }
        core.lingering.discardInput(at: now)
    }

    private var isBusy: Bool { core.connections.all.contains { $0.isBusy } }

    private var stopDeadline: Int64? {
        life.withLock { life in
            if case .stopping(let deadline, _) = life { deadline } else { nil }
        }
    }

    private func finish() {
        let waiters = life.withLock { life in
            defer { life = .stopped }
            if case .stopping(_, let waiters) = life { return waiters }
            return []
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// The thread's body: it holds the reference that `start()` handed over.
private func runHousekeeper(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Housekeeper>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
