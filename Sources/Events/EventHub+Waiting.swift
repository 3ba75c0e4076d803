public import Jobs
public import Model
import Synchronization

extension EventHub {
    /// A download, once it is as a client waits for, or `limit` is over, or the service is about to stop.
    ///
    /// - Returns: nil where too many wait: the client is told at once what there is.
    public func download(
        _ id: DownloadID,
        within limit: Duration,
        until isReached: @escaping @Sendable (Download) -> Bool
    ) async throws(JobError) -> DownloadView? {
        let (changes, waiter) = service.changes(of: id)
        defer { waiter.finish() }
        guard let key = enterWaiter(waiter) else { return nil }
        defer { state.withLock { _ = $0.waiters.removeValue(forKey: key) } }
        let result = await withTaskGroup(of: Void.self) { [time] group in
            defer { group.cancelAll() }
            // Ends with the last look: nobody but this call listens.
            group.addTask {
                try? await time.sleep(for: limit)
                waiter.finish()
            }
            return await self.look(at: id, after: changes, until: isReached)
        }
        return try result.get()
    }

    private func look(
        at id: DownloadID,
        after changes: AsyncStream<Void>,
        until isReached: (Download) -> Bool
    ) async -> Result<DownloadView, JobError> {
        do throws(JobError) {
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

    /// - Returns: nil where as many wait as may.
    private func enterWaiter(_ waiter: AsyncStream<Void>.Continuation) -> Int? {
        let (key, isDraining) = state.withLock { state -> (Int?, Bool) in
            guard state.waiters.count < settings.waiterLimit else { return (nil, false) }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = waiter
            return (state.lastWaiter, state.isDraining)
        }
        if isDraining { waiter.finish() }
        return key
    }
}
