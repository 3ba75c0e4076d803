import Glibc
import Synchronization

/// The one owner of a file descriptor: closes it once, and never lets it be used afterwards.
///
/// The kernel gives a closed number to the next open, so a late call would touch another file. Each use is therefore
/// counted, and a use after, or a close during, a use traps.
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
        // A caller that needs the result of closing has called close(); durability comes from fsync alone.
        if users.load(ordering: .acquiring) >= 0 { _ = Glibc.close(number) }
    }

    @discardableResult
    func use<Value: SignedInteger>(_ call: String, _ body: (CInt) -> Value) throws(SystemError) -> Value {
        try systemCall(call) { borrow(body) }
    }

    /// Lends the number for a call with two descriptors; `body` returns like a system call.
    func borrow<Value: SignedInteger>(_ body: (CInt) -> Value) -> Value {
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

/// The policy for every system call, and the one place that reads `errno`.
///
/// A call that a signal interrupted is repeated. `EBADF` and `EFAULT` trap: a closed descriptor and a wild pointer are
/// bugs of this program, and the next call could hit another file.
///
/// - Parameter retriesInterruption: False for `close(2)` alone, which frees the descriptor even when it is
///   interrupted, so that a second call could close another thread's new file.
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

/// The umask (`umask(2)`), as it was when first read.
public enum Umask {
    /// The permissions that `open(2)` gives a new file that everyone may read.
    public static let fileMode: UInt32 = 0o666 & ~bits

    /// The bits, read without changing them, which `umask(2)` cannot do; `proc(5)` shows them since Linux 4.7.
    public static let bits: UInt32 = {
        // If they are not shown, the usual bits.
        let status = (try? File(path: "/proc/self/status", access: .read).readToEnd(limit: 65_536)) ?? []
        for line in status.split(separator: UInt8(ascii: "\n")) {
            let words = String(decoding: line, as: UTF8.self).split { $0 == "\t" || $0 == " " }
            if words.first == "Umask:", let digits = words.last, let bits = UInt32(digits, radix: 8) { return bits }
        }
        return 0o022
    }()
}
