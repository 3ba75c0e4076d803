import CLinux
import Glibc

/// Waits for many sockets (epoll(7)), and for wake-ups by other threads (eventfd(2)).
///
/// One thread calls ``wait(milliseconds:_:)`` and registers sockets; any thread may call ``wake()``.
public final class SocketPoll: Sendable {
    /// The events to wait for, or that occurred.
    public struct Readiness: OptionSet, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        public static let reading = Readiness(rawValue: EPOLLIN.rawValue)
        public static let writing = Readiness(rawValue: EPOLLOUT.rawValue)
        /// An error or the peer's end: reading or writing says which. It is always reported.
        public static let failure = Readiness(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
    }

    private let poll: Int32
    private let wakeEvent: Int32
    /// How many sockets one call reports; the others are reported by the next.
    private static let batch = 64

    public init() throws(SystemError) {
        poll = try systemCall("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        do throws(SystemError) {
            wakeEvent = try systemCall("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
        } catch {
            close(poll)
            throw error
        }
        // Edge-triggered, so that the eventfd need not be read before it can wake again.
        var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data_t(fd: wakeEvent))
        try systemCall("epoll_ctl") { epoll_ctl(poll, EPOLL_CTL_ADD, wakeEvent, &event) }
    }

    deinit {
        close(wakeEvent)
        close(poll)
    }

    /// Registers a socket, or changes its events.
    public func watch(_ socket: Int32, for readiness: Readiness) throws(SystemError) {
        var event = epoll_event(events: readiness.rawValue, data: epoll_data_t(fd: socket))
        // The kernel forgets a closed socket, and its number may be another socket's now: so the kernel is asked
        // whether it is registered.
        if epoll_ctl(poll, EPOLL_CTL_MOD, socket, &event) == 0 { return }
        try systemCall("epoll_ctl") { epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) }
    }

    /// Unregisters a socket. A closed one is no error.
    public func forget(_ socket: Int32) {
        var event = epoll_event()
        epoll_ctl(poll, EPOLL_CTL_DEL, socket, &event)
    }

    /// Ends the current wait, or else the next one.
    public func wake() {
        // It fails after 2^64 wake-ups without a wait.
        eventfd_write(wakeEvent, 1)
    }

    /// Waits until a socket is ready, ``wake()`` is called or the time is over.
    ///
    /// - Parameter body: Called for each ready socket. It may close others that are reported after.
    public func wait(milliseconds: Int32, _ body: (_ socket: Int32, _ readiness: Readiness) -> Void) {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.batch) { events in
            // A signal ends the wait like a call of ``wake()``.
            let count = epoll_wait(poll, events.baseAddress, Int32(Self.batch), milliseconds)
            for index in 0..<Int(max(count, 0)) where events[index].data.fd != wakeEvent {
                body(events[index].data.fd, Readiness(rawValue: events[index].events))
            }
        }
    }
}
