import Core
import Logging
import Service
import Synchronization

/// New events for all streams, read once.
extension EventHub {
    private static let readLimit = EventTail.capacity

    /// Reads new events from the log while streams are open.
    func readLog() async {
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
}
