public import Core
public import Service
import Synchronization

/// Long polls.
extension EventHub {
    /// Waits until `isReached` is true for a download, `limit` is over, or the service is about to stop.
    ///
    /// - Returns: nil if too many requests wait already. The client then gets an immediate response.
    public func download(
        _ id: DownloadID,
        within limit: Duration,
        until isReached: @escaping @Sendable (Download) -> Bool
    ) async throws -> DownloadView? {
        let (changes, waiter) = service.changes(of: id)
        defer { waiter.finish() }
        guard let key = enterWaiter(waiter) else { return nil }
        defer { state.withLock { _ = $0.waiters.removeValue(forKey: key) } }
        let result = await withTaskGroup(of: Void.self) { [time] group in
            defer { group.cancelAll() }
            // After the time limit, ends the stream of changes, and `check` with it.
            group.addTask {
                try? await time.sleep(for: limit)
                waiter.finish()
            }
            return await self.check(at: id, after: changes, until: isReached)
        }
        return try result.get()
    }

    private func check(
        at id: DownloadID,
        after changes: AsyncStream<Void>,
        until isReached: (Download) -> Bool
    ) async -> Result<DownloadView, any Error> {
        do {
            let first = try await service.download(id)
            if isReached(first.download) { return .success(first) }
            for await _ in changes {
                let view = try await service.download(id)
                if isReached(view.download) { return .success(view) }
            }
            return .success(try await service.download(id))
        } catch {
            return .failure(error)
        }
    }

    /// - Returns: nil if the maximum number of waiters is reached.
    private func enterWaiter(_ waiter: AsyncStream<Void>.Continuation) -> Int? {
        let (key, isShuttingDown) = state.withLock { state -> (Int?, Bool) in
            guard state.waiters.count < settings.waiterLimit else { return (nil, false) }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = waiter
            return (state.lastWaiter, state.isShuttingDown)
        }
        if isShuttingDown { waiter.finish() }
        return key
    }
}
