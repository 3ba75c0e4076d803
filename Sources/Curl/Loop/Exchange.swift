import Synchronization

/// A response whose head has been received. Its body waits for the caller.
///
/// Bytes that arrive in the meantime are buffered, and the transfer pauses when the buffer is full. Call
/// ``receive(into:)`` or ``discard()`` once. An exchange that is released without either is discarded.
public final class Exchange: Sendable {
    public let head: ResponseHead
    private let loop: any ExchangeLoop
    private let id: TransferID
    private let received: ByteCounter
    private let isSettled = Atomic<Bool>(false)

    /// The received bytes of the body, used or not. May be read on any thread.
    public var receivedBytes: Int64 { received.value }

    /// - Parameters:
    ///   - received: Counts the bytes of the body as they arrive.
    ///   - loop: The loop that receives the body.
    public init(head: ResponseHead, received: ByteCounter, loop: any ExchangeLoop, id: TransferID) {
        self.head = head
        self.received = received
        self.loop = loop
        self.id = id
    }

    deinit {
        if !isSettled.load(ordering: .acquiring) { loop.abandon(id) }
    }

    /// Transfers the body into `sink` and waits for its end.
    ///
    /// Bytes received before a failure are also offered to the sink. Cancelling the task aborts the transfer.
    /// - Throws: ``CurlError``: `sinkStopped` if the sink returned ``SinkResult/stop``, `aborted` if the exchange was
    ///   already received or discarded.
    public func receive(into sink: any BodySink) async throws(CurlError) -> TransferEnd {
        defer { isSettled.store(true, ordering: .releasing) }
        return try await loop.receive(id, into: sink)
    }

    /// Offers the remaining bytes to the sink again after ``SinkResult/wait`` or ``SinkResult/part(_:)``. It may be
    /// called on any thread at any time.
    public func resume() {
        loop.resume(id)
    }

    /// Ends the transfer. Its connection is closed unless the whole body has been received.
    public func discard() async {
        isSettled.store(true, ordering: .releasing)
        await loop.discard(id)
    }
}
