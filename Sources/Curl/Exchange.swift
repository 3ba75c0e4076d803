import Synchronization

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

    /// Offers the sink its bytes again after it said ``SinkVerdict/wait`` or took a part. Any thread may call it, at
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
