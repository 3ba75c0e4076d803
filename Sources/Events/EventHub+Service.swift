import Jobs
import Logging
import Model
public import ServiceLifecycle
import Stages
import Synchronization
import Wire

extension EventHub: Service {
    /// Tells what happens until the service stops.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                let reading = ClaimLoop { await self.readLog() }
                group.addTask { for await _ in self.additions { await reading.run() } }
                group.addTask { for await _ in self.nudges { await reading.run() } }
                group.addTask { for await stream in self.fetches { await self.fetched(for: stream) } }
                group.addTask { for await _ in self.openings { await self.watch() } }
            }
        }
    }

    /// Ends every stream and everyone's waiting, and lets nobody in any more: the service is about to stop.
    ///
    /// Clients connect again at different times, so that the next process is not met by all of them at once.
    public func drain() {
        let (streams, waiters) = state.withLock { state in
            state.isDraining = true
            defer { state.waiters = [:] }
            return (Array(state.streams.values), Array(state.waiters.values))
        }
        for stream in streams { stream.end(Self.farewell()) }
        for waiter in waiters { waiter.finish() }
    }

    static func farewell() -> [UInt8] { StreamFrame.retry(Int.random(in: 1000...5000)) }

    // MARK: - The log

    private static let readLimit = EventTail.capacity

    /// Reads what was added to the log, if anyone listens.
    private func readLog() async {
        while let last = state.withLock({ $0.streams.isEmpty ? nil : $0.shared.tail.last }) {
            do throws(JobError) {
                let page = try await service.events(EventFilter(), after: last, limit: Self.readLimit)
                guard page.window.holdsAll(after: last) else { return restart(page.window) }
                tell(page, after: last)
                if page.isAtEnd { return }
            } catch {
                logger.warning("the log of events cannot be read", metadata: ["error": "\(error)"])
                guard (try? await time.sleep(for: StoreRetry.firstInterval)) != nil else { return }
            }
        }
    }

    private func tell(_ page: EventPage, after last: Int64) {
        let entries = page.events.map { event in
            EventTail.Entry(event: event.withoutBody, frame: StreamFrame.event(event))
        }
        let streams = state.withLock { state -> [EventStream] in
            // All streams that this was read for have gone, and new ones begin elsewhere.
            guard state.shared.tail.last == last else { return [] }
            state.shared.tail.append(entries, upTo: page.last)
            state.shared.progress.follow(page.events)
            return Array(state.streams.values)
        }
        for stream in streams where stream.offer(entries, after: last, upTo: page.last) { stream.wake() }
    }

    /// Begins at the end of a log of which more was purged than was read: the store says so to each stream.
    private func restart(_ window: EventWindow) {
        let streams = state.withLock { state in
            state.shared = EventStream.Shared(tail: EventTail(after: window.newest))
            return Array(state.streams.values)
        }
        for stream in streams { stream.wake() }
    }

    /// Reads for one stream what is not in memory.
    private func fetched(for stream: EventStream) async {
        guard state.withLock({ $0.streams[ObjectIdentifier(stream)] != nil }) else { return }
        do throws(JobError) {
            switch stream.want {
            case .events(let position):
                let (limit, bytes) = (EventStream.pageLimit, EventStream.pageBytes)
                let reading = stream.request.reading
                stream.take(try await service.events(reading, after: position, limit: limit, bytes: bytes))
            case .snapshot(let id):
                let (downloads, isLast) = try await downloads(for: stream.request, before: id)
                let outlines = outlines(of: downloads)
                let shown = downloads.prefix(outlines.count).map(\.download)
                stream.take(shown, outlines, isLast: isLast && shown.count == downloads.count)
            }
        } catch {
            // Its client connects again, and goes on where it was.
            logger.warning("a stream of events has to end", metadata: ["error": "\(error)"])
            stream.end()
        }
    }

    private static let snapshotLimit = 32

    private func downloads(
        for request: StreamRequest,
        before id: DownloadID?
    ) async throws(JobError) -> ([DownloadView], isLast: Bool) {
        if let download = request.filter.download {
            do throws(JobError) {
                return ([try await service.download(download)], true)
            } catch .notFound {
                return ([], true)
            }
        }
        let states = DownloadState.allCases.filter { !$0.isTerminal }
        let filter = DownloadFilter(states: states, session: request.filter.session)
        let downloads = try await service.downloads(filter, before: id, limit: Self.snapshotLimit)
        return (downloads, downloads.count < Self.snapshotLimit)
    }

    /// How the first of some downloads are shown, as many as a part of a snapshot takes.
    private func outlines(of downloads: [DownloadView]) -> [[UInt8]] {
        let now = time.now
        var (outlines, size): ([[UInt8]], Int) = ([], 0)
        for download in downloads where size < EventStream.pageBytes {
            outlines.append(StreamFrame.outline(of: DownloadBody(download, now)))
            size += outlines[outlines.count - 1].count
        }
        return outlines
    }

    // MARK: - The clock

    /// Looks at the transfers and at the streams, as long as there are any.
    private func watch() async {
        while count > 0, (try? await time.sleep(for: ProgressTable.interval)) != nil { tick() }
    }

    private func tick() {
        let elapsed = time.elapsed
        // Before the lock, which each stream takes for each piece that it sends.
        let look = shared.progress.look(at: live.readings, now: time.now)
        let (streams, progress) = state.withLock { state in
            state.shared.progress.show(look)
            return (Array(state.streams.values), state.shared.progress)
        }
        for stream in streams where stream.tick(elapsed, progress, heartbeat: settings.heartbeat) { stream.wake() }
    }
}

extension LoggedEvent {
    fileprivate var withoutBody: LoggedEvent {
        LoggedEvent(
            sequence: sequence,
            id: id,
            type: type,
            at: at,
            download: download,
            session: session,
            body: []
        )
    }
}
