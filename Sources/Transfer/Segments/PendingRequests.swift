import Core
import Synchronization
import TransferRules

/// The requests of a download that have no response yet. A pending request blocks its share for the other connections,
/// so it is cancelled when they show that the origin works.
final class PendingRequests: Sendable {
    private struct Pending {
        let requestedAt: Duration
        /// The bytes that the download had received when the request was sent.
        let received: Int64
        let cancel: @Sendable () -> Void
        var isGivenUp = false
    }

    private struct State {
        var pending: [ConnectionID: Pending] = [:]
        /// How many requests of each connection were cancelled. The allowed time grows with the count, so that a slow
        /// origin can respond eventually.
        var givenUp: [ConnectionID: Int] = [:]
    }

    private let state = Mutex(State())
    private let time: TimeSource

    init(time: TimeSource) { self.time = time }

    /// Waits for the response to a connection's request.
    ///
    /// - Parameter received: The bytes that the download has received so far.
    /// - Returns: nil if the request was cancelled. The connection then sends another.
    func response<Response: Sendable>(
        for connection: ConnectionID,
        received: Int64,
        _ send: @escaping @Sendable () async throws(AttemptInterruption) -> Response
    ) async throws(AttemptInterruption) -> Response? {
        let request = Task<Result<Response, AttemptInterruption>, Never> {
            do throws(AttemptInterruption) { return .success(try await send()) } catch { return .failure(error) }
        }
        let pending = Pending(requestedAt: time.elapsed, received: received) { request.cancel() }
        state.withLock { $0.pending[connection] = pending }
        let result = await withTaskCancellationHandler {
            await request.value
        } onCancel: {
            request.cancel()
        }
        let isGivenUp = state.withLock { $0.pending.removeValue(forKey: connection)?.isGivenUp ?? false }
        switch result {
        case .success(let response): return response
        case .failure where isGivenUp && !Task.isCancelled: return nil
        case .failure(let interruption): throw interruption
        }
    }

    /// Cancels overdue requests, unless no connection has received bytes since they were sent. In that case only the
    /// timeouts apply.
    func cancelOverdue(_ reading: RampSample) {
        let now = time.elapsed
        let overdue = state.withLock { state in
            let patience = ConnectionPace.longestSilence(roundTrip: reading.roundTrip ?? .zero)
            let overdue = state.pending.filter { connection, pending in
                let longest = patience * (1 << min(state.givenUp[connection] ?? 0, 5))
                return !pending.isGivenUp && now - pending.requestedAt >= longest
                    && reading.receivedBytes > pending.received
            }
            for connection in overdue.keys {
                state.pending[connection]?.isGivenUp = true
                state.givenUp[connection, default: 0] += 1
            }
            return overdue.values
        }
        for pending in overdue { pending.cancel() }
    }
}
