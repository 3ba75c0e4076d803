import Glibc
import Synchronization

/// Sees the changes in a folder (inotify(7)), whichever process makes them: of its names, and of what its files hold.
///
/// It does not see what changes in folders below, nor what is written through a memory map.
public final class FolderWatch: Sendable {
    private let changes = Changes()
    /// Nil once it is closed: its number may be someone else's by then.
    private let descriptor: Shared
    private let watch: Int32

    private final class Shared: Sendable {
        let number: Mutex<Int32?>

        init(_ number: Int32) { self.number = Mutex(number) }

        func close() {
            number.withLock { number in
                if let number { Glibc.close(number) }
                number = nil
            }
        }
    }

    public init(_ path: String) {
        let number = inotify_init1(Int32(IN_CLOEXEC))
        precondition(number >= 0, "no inotify instance: \(errno)")
        let kinds = IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
        watch = inotify_add_watch(number, path, UInt32(kinds))
        precondition(watch >= 0, "cannot watch \(path): \(errno)")
        descriptor = Shared(number)
        onNewThread { [changes, descriptor] in
            while Self.readEvents(number) { changes.post() }
            descriptor.close()
        }
    }

    deinit {
        // The kernel reports it to the thread (IN_IGNORED), which ends by it.
        descriptor.number.withLock { number in
            if let number { inotify_rm_watch(number, watch) }
        }
    }

    /// Waits until a state is as expected. It looks now and after each change in the folder.
    @discardableResult
    public func waitUntil<Seen>(
        _ expected: String,
        look: () async throws -> Seen,
        is isReached: (Seen) throws -> Bool
    ) async throws -> Seen {
        // A method, so that the watch lives as long as it is needed.
        try await TestSupport.waitUntil(expected, after: changes, look: look, is: isReached)
    }

    /// Blocks until there are events.
    ///
    /// - Returns: Whether there may be more.
    private static func readEvents(_ number: Int32) -> Bool {
        // `struct inotify_event`: int wd; uint32_t mask, cookie, len; then the name.
        let headSize = 16
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = max(0, read(number, buffer.baseAddress, buffer.count))
        }
        if bytes.isEmpty { return errno == EINTR }
        var position = 0
        while position + headSize <= bytes.count {
            let (mask, length) = bytes.withUnsafeBytes { bytes in
                (
                    bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self),
                    bytes.loadUnaligned(fromByteOffset: position + 12, as: UInt32.self)
                )
            }
            if mask & UInt32(IN_IGNORED) != 0 { return false }
            position += headSize + Int(length)
        }
        return true
    }
}
