import Synchronization

/// A command for a loop. It can be sent from any thread without waiting.
enum TransferCommand: Sendable {
    /// The sink accepts bytes again.
    case resume(TransferID)
    /// The task that waits for the transfer was cancelled.
    case abort(TransferID)
    /// The exchange was released.
    case discard(TransferID)
    /// Close an idle connection to this address: a request waits, and the server may be blocked by that connection.
    case closeIdle(SocketAddress)
}

/// The queue of commands for a ``TransferLoop``.
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

    /// Whether a queued command abandons the transfer.
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

    func removeAll() -> [TransferCommand] {
        commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }
}
