import Glibc

/// The policy for every system call, and the one place that reads `errno`.
///
/// A call that a signal interrupted is made again. `EBADF` and `EFAULT` trap: a closed descriptor and a wild
/// pointer are bugs of this program, and going on would let the next call hit someone else's file.
///
/// - Parameter retriesInterruption: False for `close(2)` alone, which frees the descriptor even when it is
///   interrupted, so that a second call could close another thread's new file.
@discardableResult
func systemCall<Answer: SignedInteger>(
    _ name: String,
    retriesInterruption: Bool = true,
    _ body: () -> Answer
) throws(SystemError) -> Answer {
    while true {
        let answer = body()
        guard answer == -1 else { return answer }
        let code = errno
        if code == EINTR && retriesInterruption { continue }
        precondition(code != EBADF && code != EFAULT, "\(name) failed with \(code): a bug of the caller")
        throw SystemError(code: code, call: name)
    }
}
