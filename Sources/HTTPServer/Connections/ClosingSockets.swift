import Glibc
import Synchronization

/// Half-closed sockets whose clients may still be sending.
///
/// Closing a socket with unread bytes resets the connection, and the client may lose the response before reading it.
/// RFC 9112, section 9.6, recommends closing the sending side first and reading for a while.
final class ClosingSockets: Sendable {
    private struct Entry {
        let descriptor: Int32
        let deadline: Int64
    }

    /// The maximum number of sockets. Further ones are closed immediately, so that many refused clients cannot use up
    /// the process's descriptors.
    private static let capacity = 128
    private static let lingeringMilliseconds: Int64 = 2000

    private let entries = Mutex<[Entry]>([])

    var isEmpty: Bool { entries.withLock { $0.isEmpty } }

    /// Duplicates the descriptor of a socket that libmicrohttpd is about to close.
    func adopt(_ descriptor: Int32) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return }
        let entry = Entry(descriptor: copy, deadline: MonotonicClock.now + Self.lingeringMilliseconds)
        let isKept = entries.withLock { entries in
            guard entries.count < Self.capacity else { return false }
            entries.append(entry)
            return true
        }
        if !isKept { close(copy) }
    }

    /// Reads and discards received bytes, and closes sockets that are finished or past their deadline. Only one thread
    /// may call it.
    func discardInput(at now: Int64) {
        let current = entries.withLock { $0 }
        let finished = current.filter { Self.isFinished($0.descriptor) || $0.deadline <= now }.map(\.descriptor)
        remove(finished)
    }

    func closeAll() {
        remove(entries.withLock { $0.map(\.descriptor) })
    }

    private func remove(_ finished: [Int32]) {
        guard !finished.isEmpty else { return }
        entries.withLock { $0.removeAll { finished.contains($0.descriptor) } }
        for descriptor in finished { close(descriptor) }
    }

    /// Whether the client has closed its side or the connection has failed. Reads a limited number of pieces, so that a
    /// fast sender cannot block the thread.
    private static func isFinished(_ descriptor: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
            for _ in 0..<64 {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                if count < 0 { return errno != EAGAIN && errno != EINTR }
                if count == 0 { return true }
            }
            return false
        }
    }
}
