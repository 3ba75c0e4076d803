import Core
import Synchronization
import TransferRules

/// The requests of a download's connections that have no response yet. A request without a response keeps its share
/// from the others, so it is cancelled once they show that the origin works.
final class PendingRequests: Sendable {
    private struct Pending {
        let requestedAt: Duration
        /// What the download had received by then.
        let received: Int64
        let cancel: @Sendable () -> Void
        var isGivenUp = false
    }

    private struct State {
        var pending: [ConnectionID: Pending] = [:]
        /// How often requests of each connection were cancelled: a slow origin must be able to answer in the end.
        var givenUp: [ConnectionID: Int] = [:]
    }

    private let state = Mutex(State())
    private let time: TimeSource

    init(time: TimeSource) { self.time = time }

    /// Waits for the answer to a connection's request.
    ///
    /// - Parameter received: What the download has received so far, in bytes.
    /// - Returns: nil if the request was cancelled; the connection asks again.
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

    /// Cancels overdue requests, unless no connection has received anything since they were made: then the timeouts
    /// decide.
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
