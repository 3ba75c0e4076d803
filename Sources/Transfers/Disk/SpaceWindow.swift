import Linux
import Model
import Synchronization

/// The room of a body whose length nobody knows, and for which none could be taken beforehand: it is promised a window
/// at a time, before anything is written into it, so that many such bodies together leave the low mark free.
final class SpaceWindow: Sendable {
    private struct State {
        var end: Int64 = 0
        var promise: SpacePromise?
    }

    /// Small, so that a small disk has room for many; a look at the disk for each of them costs little.
    private static let windowBytes: Int64 = 1 << 20

    private let ledger: SpaceLedger
    private let state = Mutex(State())

    init(_ ledger: SpaceLedger) {
        self.ledger = ledger
    }

    /// Has room promised for bytes that are about to be written; those before them are written. Blocks as a write does.
    ///
    /// - Returns: false where the low mark would not stay free.
    func reserve(_ range: Range<Int64>) throws(SystemError) -> Bool {
        let (promise, end) = state.withLock { ($0.promise, $0.end) }
        if let promise, range.upperBound <= end {
            // What is written is no longer free.
            promise.keep(end - range.lowerBound)
            return true
        }
        promise?.keep(0)
        let count = Int64(range.count) + Self.windowBytes
        let promised = try ledger.promise(count)
        state.withLock { $0 = State(end: range.lowerBound + count, promise: promised) }
        return promised != nil
    }
}
