import CLinux
import Glibc

/// Waits for events of many sockets (epoll(7)) and for wake-ups by other threads (eventfd(2)).
///
/// One thread registers sockets and calls ``wait(milliseconds:_:)``. Any thread may call ``wake()``.
public final class SocketPoll: Sendable {
    /// The events to wait for, or that occurred.
    public struct Readiness: OptionSet, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        public static let reading = Readiness(rawValue: EPOLLIN.rawValue)
        public static let writing = Readiness(rawValue: EPOLLOUT.rawValue)
        /// An error, or a connection closed by the peer; the next read or write tells which. It is always reported.
        public static let failure = Readiness(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
    }

    private let poll: Int32
    private let wakeEvent: Int32
    /// The number of sockets that one call reports at most. The next call reports the others.
    private static let batch = 64

    public init() throws(SystemError) {
        poll = try systemCall("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        do throws(SystemError) {
            wakeEvent = try systemCall("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
        } catch {
            close(poll)
            throw error
        }
        // Edge-triggered, so that the eventfd need not be read between two wake-ups.
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
        // The kernel unregisters a closed socket, and a new socket may have its number. So the kernel decides whether
        // the number is registered.
        if epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) == 0 { return }
        try systemCall("epoll_ctl") { epoll_ctl(poll, EPOLL_CTL_MOD, socket, &event) }
    }

    /// Unregisters a socket. It is no error if the socket is closed.
    public func forget(_ socket: Int32) {
        var event = epoll_event()
        epoll_ctl(poll, EPOLL_CTL_DEL, socket, &event)
    }

    /// Ends the current wait; if there is none, the next one ends at once.
    public func wake() {
        // It can fail only after 2^64 wake-ups without a wait.
        eventfd_write(wakeEvent, 1)
    }

    /// Waits until a socket is ready, ``wake()`` is called or the timeout has passed.
    ///
    /// - Parameter body: Called for each ready socket. It may close sockets that are reported later in the same call.
    public func wait(milliseconds: Int32, _ body: (_ socket: Int32, _ readiness: Readiness) -> Void) {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.batch) { events in
            // Only a buffer of no bytes has no address. Since 2.41, glibc declares the parameter as not null.
            guard let first = events.baseAddress else { return }
            // A signal ends the wait as ``wake()`` does.
            let count = epoll_wait(poll, first, Int32(Self.batch), milliseconds)
            for index in 0..<Int(max(count, 0)) where events[index].data.fd != wakeEvent {
                body(events[index].data.fd, Readiness(rawValue: events[index].events))
            }
        }
    }
}
