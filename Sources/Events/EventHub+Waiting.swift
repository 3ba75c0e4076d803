public import Jobs
public import Model
import Synchronization

extension EventHub {
    /// A download, once it is as a client waits for, or `limit` is over, or the service is about to stop.
    public func download(
        _ id: DownloadID,
        within limit: Duration,
        until isReached: @escaping @Sendable (Download) -> Bool
    ) async throws(JobError) -> DownloadView {
        let (key, changes, waiter) = enterWaiter()
        defer { state.withLock { _ = $0.waiters.removeValue(forKey: key) } }
        let first = try await service.download(id)
        if isReached(first.download) { return first }
        // Ends with the last look: nobody but this call listens.
        let timer = Task { [time] in
            try? await time.sleep(for: limit)
            waiter.finish()
        }
        defer { timer.cancel() }
        for await _ in changes {
            let view = try await service.download(id)
            if isReached(view.download) { return view }
        }
        return try await service.download(id)
    }

    private func enterWaiter() -> (key: Int, AsyncStream<Void>, AsyncStream<Void>.Continuation) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (key, isDraining) = state.withLock { state in
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = continuation
            return (state.lastWaiter, state.isDraining)
        }
        if isDraining { continuation.finish() }
        return (key, stream, continuation)
    }

    func tellWaiters() {
        let waiters = state.withLock { Array($0.waiters.values) }
        for waiter in waiters { waiter.yield() }
    }
}
