public import Core
import Logging
public import Service
public import ServiceLifecycle
import Synchronization

extension EventHub: Service {
    /// Serves all streams until the service stops.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                let reading = ClaimLoop { await self.readLog() }
                group.addTask { for await _ in self.additions { await reading.run() } }
                group.addTask { for await _ in self.nudges { await reading.run() } }
                group.addTask { for await _ in self.fetches { await self.fetchRequested() } }
                group.addTask { for await _ in self.openings { await self.watch() } }
            }
        }
    }

    /// Ends every stream and every long poll, and refuses new ones, because the service is about to stop.
    ///
    /// Clients reconnect after different delays, so that they do not all reach the next process at once.
    public func shutdown() {
        let (streams, waiters) = state.withLock { state in
            state.isShuttingDown = true
            defer { state.waiters = [:] }
            return (Array(state.streams.values), Array(state.waiters.values))
        }
        for stream in streams { stream.end(Self.retryFrame()) }
        for waiter in waiters { waiter.finish() }
    }

    static func retryFrame() -> [UInt8] { StreamFrame.retry(Int.random(in: 1000...5000)) }

    // MARK: - The log

    private static let readLimit = EventTail.capacity

    /// Reads new events from the log while streams are open.
    private func readLog() async {
        while let last = state.withLock({ $0.streams.isEmpty ? nil : $0.shared.tail.last }) {
            do {
                let page = try await service.events(EventFilter(), after: last, limit: Self.readLimit)
                guard page.window.holdsAll(after: last) else { return restart(page.window) }
                publish(page, after: last)
                if page.isAtEnd { return }
            } catch {
                logger.warning("event log not read", metadata: ["error": "\(error)"])
                guard (try? await time.sleep(for: StoreRetry.firstInterval)) != nil else { return }
            }
        }
    }

    private func publish(_ page: EventPage, after last: Int64) {
        let entries = page.events.map { EventTail.Entry($0) }
        let streams = state.withLock { state -> [EventStream] in
            // All streams that needed these events have closed, and new streams start at another position.
            guard state.shared.tail.last == last else { return [] }
            state.shared.tail.append(entries, upTo: page.last)
            state.shared.progress.follow(page.events)
            return Array(state.streams.values)
        }
        // Many streams share few filters, so test each filter once.
        let interested = Set(streams.map(\.request.reading)).filter { filter in
            entries.contains { filter.includes($0.event) }
        }
        for stream in streams {
            let isInterested = interested.contains(stream.request.reading)
            if stream.offer(isInterested, after: last, upTo: page.last) { stream.wake() }
        }
    }

    /// Restarts at the end of the log if unread events were purged. The store reports the gap to each stream.
    private func restart(_ window: EventWindow) {
        let streams = state.withLock { state in
            state.shared = EventStream.Shared(tail: EventTail(after: window.newest))
            return Array(state.streams.values)
        }
        for stream in streams { stream.wake() }
    }

    // MARK: - The clock

    /// Reads the progress of transfers and runs the streams' timers while streams are open.
    private func watch() async {
        while count > 0, (try? await time.sleep(for: ProgressTable.interval)) != nil { tick() }
    }

    private func tick() {
        let elapsed = time.elapsed
        // Outside the lock, which every stream takes for each piece that it sends.
        let (shown, wanted) = state.withLock { state in
            let streams = state.streams.values.map(\.request).filter { $0.hasSegments && $0.hasProgress }
            return (state.shared.progress, Set(streams.map(\.filter)))
        }
        let scan = shown.scan(at: running.readings, now: time.now) { [running] progress in
            let isWanted = wanted.contains { $0.concerns(download: progress.id, of: progress.session) }
            return isWanted ? running.segments(of: progress.id) : nil
        }
        let (streams, progress) = state.withLock { state in
            state.shared.progress.show(scan)
            return (Array(state.streams.values), state.shared.progress)
        }
        for stream in streams where stream.tick(elapsed, progress, heartbeat: settings.heartbeat) { stream.wake() }
    }
}

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
