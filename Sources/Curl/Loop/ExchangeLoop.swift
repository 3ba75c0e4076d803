/// Sends requests and receives their responses. ``TransferLoop`` does it with libcurl.
///
/// It is called once a request, and never for a byte: bytes go straight to a ``BodySink``.
public protocol ExchangeLoop: AnyObject, Sendable {
    /// Sends `request` and waits for the head of the final response. Interim responses are skipped.
    ///
    /// If the task is cancelled, the connection is closed.
    ///
    /// - Throws: ``CurlError``; `aborted` if the task is cancelled or the loop is shut down.
    func start(_ request: TransferRequest) async throws(CurlError) -> Exchange

    /// As ``Exchange/receive(into:)``.
    func receive(_ id: TransferID, into sink: any BodySink) async throws(CurlError) -> TransferEnd

    /// As ``Exchange/discard()``.
    func discard(_ id: TransferID) async

    /// As ``Exchange/resume()``.
    nonisolated func resume(_ id: TransferID)

    /// Ends a transfer whose exchange was released. It may be called on any thread, and does not wait.
    nonisolated func abandon(_ id: TransferID)

    /// Ends all running and later transfers with `aborted`.
    func shutdown() async
}

/// The id of a transfer in an ``ExchangeLoop``. Ids are never reused.
public struct TransferID: Hashable, Sendable {
    public let number: UInt64

    public init(number: UInt64) {
        self.number = number
    }
}
