import Glibc
import Linux
import Synchronization
import UnixSignals

/// Converts SIGINT and SIGTERM into cancellation.
enum Interruption {
    /// Runs `work`. The first signal cancels it. A second one ends the process at once; durable bytes are kept.
    ///
    /// - Returns: The exit code for the signal (128 plus its number); nil without a signal.
    static func guarding<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Value
    ) async -> (value: Value, exitCode: Int32?) {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let firstSignal = FirstSignal()
        let task = Task { await work() }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await signal in signals {
                    let code: Int32 = signal == .sigint ? 130 : 143
                    if !firstSignal.record(code) { leave(code) }
                    task.cancel()
                }
            }
            let value = await task.value
            group.cancelAll()
            return (value, firstSignal.exitCode)
        }
    }

    private static func leave(_ code: Int32) -> Never {
        if StandardStream.error.isTerminal { StandardStream.error.write(TerminalFrame.showCursor) }
        exit(code)
    }
}

/// The exit code of the first signal.
private final class FirstSignal: Sendable {
    private let code = Mutex<Int32?>(nil)

    var exitCode: Int32? { code.withLock { $0 } }

    /// - Returns: Whether this is the first signal.
    func record(_ code: Int32) -> Bool {
        self.code.withLock { first in
            guard first == nil else { return false }
            first = code
            return true
        }
    }
}
