import Glibc
import Synchronization

/// The one owner of a file descriptor: closes it once, and never lets it be used afterwards.
///
/// The kernel hands a closed number to the next open, so a late call would touch a stranger's file. Each use
/// is therefore counted, and a use after, or a close during, a use traps.
final class Descriptor: Sendable {
    private static let closed = Int.min / 2

    private let number: CInt
    private let users = Atomic<Int>(0)

    /// Takes ownership of what `open` answers.
    init(opening call: String, _ open: () -> CInt) throws(SystemError) {
        number = try systemCall(call, open)
    }

    /// Takes ownership of what `open` answers, which begins at the folder of `parent`.
    init(opening call: String, from parent: Descriptor, _ open: (CInt) -> CInt) throws(SystemError) {
        number = try parent.use(call, open)
    }

    deinit {
        // Whoever needs to know whether closing worked has called close(); durability comes from fsync alone.
        if users.load(ordering: .acquiring) >= 0 { _ = Glibc.close(number) }
    }

    @discardableResult
    func use<Answer: SignedInteger>(_ call: String, _ body: (CInt) -> Answer) throws(SystemError) -> Answer {
        try systemCall(call) { borrow(body) }
    }

    /// Lends the number for a call that takes two; `body` answers as a system call does.
    func borrow<Answer: SignedInteger>(_ body: (CInt) -> Answer) -> Answer {
        let earlier = users.wrappingAdd(1, ordering: .acquiring).oldValue
        precondition(earlier >= 0, "a closed descriptor is used")
        defer { users.wrappingSubtract(1, ordering: .releasing) }
        return body(number)
    }

    /// Closes; does nothing when closed already. The descriptor is gone even when this throws.
    func close() throws(SystemError) {
        let outcome = users.compareExchange(expected: 0, desired: Self.closed, ordering: .acquiringAndReleasing)
        guard outcome.exchanged else {
            precondition(outcome.original < 0, "close of a descriptor in use")
            return
        }
        try systemCall("close", retriesInterruption: false) { Glibc.close(number) }
    }

    func information() throws(SystemError) -> FileInformation {
        var status = stat()
        try use("fstat") { fstat($0, &status) }
        return FileInformation(status)
    }
}
