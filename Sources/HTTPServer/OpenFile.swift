import CMicroHTTPD
import Glibc
import Synchronization

/// An open file descriptor and the responsibility to close it.
///
/// The first response that uses it takes the descriptor, and libmicrohttpd closes it. An unused descriptor is closed
/// with the last reference.
public final class OpenFile: Sendable {
    private static let taken: Int32 = -1

    private let descriptor: Atomic<Int32>

    /// Takes ownership of `descriptor`, which must be readable and seekable. The caller must not close it.
    public init(owning descriptor: Int32) {
        self.descriptor = Atomic(descriptor)
    }

    deinit {
        if let descriptor = take() { close(descriptor) }
    }

    /// Transfers the ownership of the descriptor to the caller; nil if it was already transferred.
    func take() -> Int32? {
        let descriptor = descriptor.exchange(Self.taken, ordering: .acquiringAndReleasing)
        return descriptor == Self.taken ? nil : descriptor
    }
}
