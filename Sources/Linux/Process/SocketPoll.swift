import CLinux
import Glibc

/// Tells which of many sockets are ready (epoll(7)), and is woken by other threads (eventfd(2)).
///
/// One thread calls ``wait(milliseconds:_:)`` and says what is watched; any thread may ``ring()``.
public final class SocketPoll: Sendable {
    /// What a socket is to be ready for, or is ready for.
    public struct Readiness: OptionSet, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        public static let reading = Readiness(rawValue: EPOLLIN.rawValue)
        public static let writing = Readiness(rawValue: EPOLLOUT.rawValue)
        /// An error or the peer's end: reading or writing says which. It is reported whether it was asked for or not.
        public static let failure = Readiness(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
    }

    private let poll: Int32
    private let bell: Int32
    /// How many sockets one call reports; the others are reported by the next.
    private static let batch = 64

    public init() throws(SystemError) {
        poll = try systemCall("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
        do throws(SystemError) {
            bell = try systemCall("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
        } catch {
            close(poll)
            throw error
        }
        // At its edge, so that nobody has to read the bell before it can wake again.
        var event = epoll_event(events: EPOLLIN.rawValue | EPOLLET.rawValue, data: epoll_data_t(fd: bell))
        try systemCall("epoll_ctl") { epoll_ctl(poll, EPOLL_CTL_ADD, bell, &event) }
    }

    deinit {
        close(bell)
        close(poll)
    }

    /// Watches a socket, or watches it for something else than before.
    public func watch(_ socket: Int32, for readiness: Readiness) throws(SystemError) {
        var event = epoll_event(events: readiness.rawValue, data: epoll_data_t(fd: socket))
        // A socket that was closed is forgotten by the kernel, and its number may be another's by now: so the kernel
        // knows best whether it is watched.
        if epoll_ctl(poll, EPOLL_CTL_MOD, socket, &event) == 0 { return }
        try systemCall("epoll_ctl") { epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) }
    }

    /// Watches a socket no longer. One that is closed already is no mistake.
    public func forget(_ socket: Int32) {
        var event = epoll_event()
        epoll_ctl(poll, EPOLL_CTL_DEL, socket, &event)
    }

    /// Ends a wait: that of now, or else the next.
    public func ring() {
        // It fails where nobody has waited for 2^64 rings.
        eventfd_write(bell, 1)
    }

    /// Waits until a socket is ready, somebody rings or the time is over.
    ///
    /// - Parameter body: Called for each socket that is ready. What it does may close others that are reported after.
    public func wait(milliseconds: Int32, _ body: (_ socket: Int32, _ readiness: Readiness) -> Void) {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.batch) { events in
            // A signal ends the wait as a ring does.
            let count = epoll_wait(poll, events.baseAddress, Int32(Self.batch), milliseconds)
            for index in 0..<Int(max(count, 0)) where events[index].data.fd != bell {
                body(events[index].data.fd, Readiness(rawValue: events[index].events))
            }
        }
    }
}
