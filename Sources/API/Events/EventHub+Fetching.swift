import Core
import Logging
import Service
import Synchronization

extension EventHub {
    /// Queues a read from the store for a stream. A stream has at most one read in the queue.
    func fetch(for stream: EventStream) {
        state.withLock { $0.requesting.append(stream) }
        fetching.yield()
    }

    /// Performs the queued reads. Streams with equal queries share one read.
    ///
    /// A stream must get data that was read after it was opened. A request during a read waits for the next one.
    func fetchRequested() async {
        let requesting = state.withLock { state in
            defer { state.requesting = [] }
            return state.requesting
        }
        for (query, streams) in Dictionary(grouping: requesting, by: \.query) {
            // Streams may have closed during the previous reads.
            let present = state.withLock { state in streams.filter { state.streams[ObjectIdentifier($0)] != nil } }
            if !present.isEmpty { await fetch(query, for: present) }
        }
    }

    private func fetch(_ query: EventStream.Query, for streams: [EventStream]) async {
        do {
            switch query {
            case .events(let filter, let position):
                let (limit, bytes) = (EventStream.pageLimit, EventStream.pageBytes)
                let page = try await service.events(filter, after: position, limit: limit, bytes: bytes)
                let entries = page.events.map { EventTail.Entry($0) }
                for stream in streams { stream.receive(page, entries) }
            case .snapshot(let filter, let place):
                let part = try await snapshot(of: filter, from: place)
                for stream in streams { stream.receive(part) }
            }
        } catch {
            // Clients of ended streams reconnect and resume.
            logger.warning(
                "event streams ended",
                metadata: ["error": "\(error)", "count": .stringConvertible(streams.count)]
            )
            for stream in streams { stream.end() }
        }
    }

    private static let snapshotLimit = 32

    private func snapshot(of filter: EventFilter, from place: SnapshotPlace?) async throws -> SnapshotPart {
        let sequence =
            if let place { place.sequence } else { try await service.eventWindow().newest }
        let (downloads, isLast) = try await downloads(filter, before: place?.id)
        let entries = entries(of: downloads)
        let shown = downloads.prefix(entries.count).map(\.download)
        let isWhole = isLast && shown.count == downloads.count
        return SnapshotPart(
            frame: StreamFrame.snapshot(entries, at: sequence, isLast: isWhole),
            sequence: sequence,
            next: isWhole ? nil : shown.last.map { SnapshotPlace(id: $0.id, sequence: sequence) },
            haveAllEnded: shown.allSatisfy(\.state.isTerminal)
        )
    }

    private func downloads(
        _ filter: EventFilter,
        before id: DownloadID?
    ) async throws -> ([DownloadView], isLast: Bool) {
        if let download = filter.download {
            do {
                return ([try await service.download(download)], true)
            } catch ServiceError.notFound {
                return ([], true)
            }
        }
        let states = DownloadState.allCases.filter { !$0.isTerminal }
        let filter = DownloadFilter(states: states, session: filter.session)
        let downloads = try await service.downloads(filter, before: id, limit: Self.snapshotLimit)
        return (downloads, downloads.count < Self.snapshotLimit)
    }

    /// The snapshot entries of the first downloads, as many as fit in one part.
    private func entries(of downloads: [DownloadView]) -> [[UInt8]] {
        let now = time.now
        var (entries, size): ([[UInt8]], Int) = ([], 0)
        for download in downloads where size < EventStream.pageBytes {
            entries.append(StreamFrame.snapshotEntry(of: DownloadBody(download, now)))
            size += entries[entries.count - 1].count
        }
        return entries
    }
}

/// One part of a snapshot. All streams that request the same part share it.
struct SnapshotPart: Sendable {
    let frame: [UInt8]
    /// The last event before the first part was read.
    ///
    /// The snapshot includes every event up to this one. Later events follow it, even if it already shows their
    /// results.
    let sequence: Int64
    /// The position of the next part; nil for the last part.
    let next: SnapshotPlace?
    /// Whether all downloads of the snapshot have ended.
    let haveAllEnded: Bool
}

/// A position in a snapshot.
struct SnapshotPlace: Hashable, Sendable {
    /// The last download in the previous part.
    let id: DownloadID
    /// The sequence number of the previous parts (``SnapshotPart/sequence``).
    let sequence: Int64
}
