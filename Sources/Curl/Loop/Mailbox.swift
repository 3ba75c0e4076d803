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

    func removeAll() -> [TransferCommand] {
        commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }
}

/// A response whose head is here and whose body waits for the caller's word.
///
/// Bytes that come meanwhile are gathered, and the transfer pauses when the buffer is full.
/// Call ``receive(into:)`` once, or ``discard()``; an exchange that nobody holds is discarded.
public final class Exchange: Sendable {
    public let head: ResponseHead
    private let loop: TransferLoop
    private let id: TransferID
    private let received: ByteCounter
    private let isSettled = Atomic<Bool>(false)

    /// Bytes of the body that have come, taken or not. Any thread may ask.
    public var receivedBytes: Int64 { received.value }

    init(head: ResponseHead, received: ByteCounter, loop: TransferLoop, id: TransferID) {
        self.head = head
        self.received = received
        self.loop = loop
        self.id = id
    }

    deinit {
        if !isSettled.load(ordering: .acquiring) { loop.mailbox.post(.discard(id)) }
    }

    /// Lets the body flow into `sink` and waits for its end.
    ///
    /// The bytes that came before a failure are offered to the sink too. Cancelling the task drops the transfer.
    /// - Throws: ``CurlError``; `sinkStopped` if the sink said so, `aborted` if the exchange was already
    ///   received or discarded.
    public func receive(into sink: any BodySink) async throws(CurlError) -> TransferEnd {
        defer { isSettled.store(true, ordering: .releasing) }
        return try await loop.receive(id, into: sink)
    }

    /// Offers the sink its bytes again after it said ``SinkResult/wait`` or took a part. Any thread may call it, at
    /// any time.
    public func resume() {
        loop.mailbox.post(.resume(id))
    }

    /// Ends the transfer. Its connection is dropped unless the whole body has already come.
    public func discard() async {
        isSettled.store(true, ordering: .releasing)
        await loop.discard(id)
    }
}
