internal import Glibc
internal import Synchronization

/// An open descriptor and the duty to close it.
///
/// The first answer that is sent with it takes the descriptor, and libmicrohttpd closes it. One that no answer took is
/// closed with the last reference.
public final class OpenFile: Sendable {
    private static let taken: Int32 = -1

    private let descriptor: Atomic<Int32>

    /// Takes over `descriptor`, which must be open for reading and seekable. The caller must not close it.
    public init(owning descriptor: Int32) {
        self.descriptor = Atomic(descriptor)
    }

    deinit {
        if let descriptor = take() { close(descriptor) }
    }

    /// Gives the descriptor away, once.
    func take() -> Int32? {
        let descriptor = descriptor.exchange(Self.taken, ordering: .acquiringAndReleasing)
        return descriptor == Self.taken ? nil : descriptor
    }
}
