import Synchronization

/// Which transfer of a ``TransferLoop``; never used twice.
struct TransferID: Hashable, Sendable {
    let number: UInt64
}

/// What may be said to a running transfer from any thread, without waiting.
enum TransferCommand: Sendable {
    /// The sink can take bytes again.
    case resume(TransferID)
    /// The task that waits for the transfer was cancelled.
    case abort(TransferID)
    /// Nobody holds the exchange any more.
    case discard(TransferID)
    /// Close an idle connection to this address: a request waits, and the server may be serving that connection alone.
    case closeIdle(SocketAddress)
}

/// The commands on their way to a ``TransferLoop``.
final class Mailbox: Sendable {
    private let commands = Mutex<[TransferCommand]>([])
    private let thread: LoopThread

    init(thread: LoopThread) {
        self.thread = thread
    }

    func post(_ command: TransferCommand) {
        commands.withLock { $0.append(command) }
        thread.wake()
    }

    /// Whether somebody has given the transfer up, and the loop does not know it yet.
    func hasGivenUp(_ id: TransferID) -> Bool {
        commands.withLock { commands in
            commands.contains {
                switch $0 {
                case .abort(id), .discard(id): true
                case .abort, .discard, .resume, .closeIdle: false
                }
            }
        }
    }

    func takeAll() -> [TransferCommand] {
        commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }
}
