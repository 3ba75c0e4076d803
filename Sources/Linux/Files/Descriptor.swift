import Glibc
import Synchronization

/// Owns a file descriptor: closes it exactly once and prevents its use afterwards.
///
/// The kernel reuses the number of a closed descriptor, so a late call would reach another file. The uses are therefore
/// counted: a use after `close()`, and a `close()` during a use, trap.
final class Descriptor: Sendable {
    private static let closed = Int.min / 2

    private let number: CInt
    private let users = Atomic<Int>(0)

    /// Takes ownership of the descriptor that `open` returns.
    init(opening call: String, _ open: () -> CInt) throws(SystemError) {
        number = try systemCall(call, open)
    }

    /// Takes ownership of the descriptor that `open` returns, relative to the folder of `parent`.
    init(opening call: String, from parent: Descriptor, _ open: (CInt) -> CInt) throws(SystemError) {
        number = try parent.use(call, open)
    }

    deinit {
        // A caller that needs the result has already called close(). Durability comes from fsync alone.
        if users.load(ordering: .acquiring) >= 0 { _ = Glibc.close(number) }
    }

    @discardableResult
    func use<Value: SignedInteger>(_ call: String, _ body: (CInt) -> Value) throws(SystemError) -> Value {
        try systemCall(call) { borrow(body) }
    }

    /// Passes the number to a call that needs two descriptors. `body` returns -1 for an error, as a system call does.
    func borrow<Value: SignedInteger>(_ body: (CInt) -> Value) -> Value {
        let earlier = users.wrappingAdd(1, ordering: .acquiring).oldValue
        precondition(earlier >= 0, "a closed descriptor is used")
        defer { users.wrappingSubtract(1, ordering: .releasing) }
        return body(number)
    }

    /// Closes the descriptor, or does nothing if it is closed already. The descriptor is closed even if this throws.
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

/// Makes a system call and converts its `errno` to a ``SystemError``.
///
/// A call that a signal interrupted is repeated. `EBADF` and `EFAULT` trap, because a closed descriptor and an invalid
/// pointer are bugs of this program, and the next such call could change another file.
///
/// - Parameter retriesInterruption: False only for `close(2)`. An interrupted `close(2)` has freed the descriptor, so a
///   second call could close another thread's new file.
@discardableResult
func systemCall<Value: SignedInteger>(
    _ name: String,
    retriesInterruption: Bool = true,
    _ body: () -> Value
) throws(SystemError) -> Value {
    while true {
        let value = body()
        guard value == -1 else { return value }
        let code = errno
        if code == EINTR && retriesInterruption { continue }
        precondition(code != EBADF && code != EFAULT, "\(name) failed with \(code): a bug of the caller")
        throw SystemError(code: code, call: name)
    }
}

/// The process's file mode creation mask (`umask(2)`), as read on first use.
public enum Umask {
    /// The mode of a new file after the umask, if the program requests 0666 (`open(2)`).
    public static let fileMode: UInt32 = 0o666 & ~bits

    /// The bits, read from `/proc/self/status` (`proc(5)`, since Linux 4.7): `umask(2)` can read them only by changing
    /// them.
    public static let bits: UInt32 = {
        // Without `/proc` the usual value 022 applies.
        let status = (try? File(path: "/proc/self/status", access: .read).readToEnd(limit: 65_536)) ?? []
        for line in status.split(separator: UInt8(ascii: "\n")) {
            let words = String(decoding: line, as: UTF8.self).split { $0 == "\t" || $0 == " " }
            if words.first == "Umask:", let digits = words.last, let bits = UInt32(digits, radix: 8) { return bits }
        }
        return 0o022
    }()
}
