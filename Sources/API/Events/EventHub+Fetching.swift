import Core
import Logging
import Service
import Synchronization

extension EventHub {
    /// Asks for what a stream wants of the store. Each is asked for once until it has that.
    func fetch(for stream: EventStream) {
        state.withLock { $0.requesting.append(stream) }
        fetching.yield()
    }

    /// Reads what waiting streams have requested. Streams that need the same share one read.
    ///
    /// A stream must get what was read after it was opened, so a request during a read waits for the next read.
    func fetchRequested() async {
        let requesting = state.withLock { state in
            defer { state.requesting = [] }
            return state.requesting
        }
        for (query, streams) in Dictionary(grouping: requesting, by: \.query) {
            // Some may have gone during the readings before.
            let present = state.withLock { state in streams.filter { state.streams[ObjectIdentifier($0)] != nil } }
            if !present.isEmpty { await fetch(query, for: present) }
        }
    }

    private func fetch(_ query: EventStream.Query, for streams: [EventStream]) async {
        do throws(ServiceError) {
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
            // Their clients reconnect and resume.
            logger.warning(
                "event streams ended",
                metadata: ["error": "\(error)", "count": "\(streams.count)"]
            )
            for stream in streams { stream.end() }
        }
    }

    private static let snapshotLimit = 32

    private func snapshot(of filter: EventFilter, from place: SnapshotPlace?) async throws(ServiceError) -> SnapshotPart
    {
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
    ) async throws(ServiceError) -> ([DownloadView], isLast: Bool) {
        if let download = filter.download {
            do throws(ServiceError) {
                return ([try await service.download(download)], true)
            } catch .notFound {
                return ([], true)
            }
        }
        let states = DownloadState.allCases.filter { !$0.isTerminal }
        let filter = DownloadFilter(states: states, session: filter.session)
        let downloads = try await service.downloads(filter, before: id, limit: Self.snapshotLimit)
        return (downloads, downloads.count < Self.snapshotLimit)
    }

    /// How the first of some downloads are shown, as many as a part of a snapshot takes.
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

/// A part of how the downloads are, as every stream is given it that asked for the same.
struct SnapshotPart: Sendable {
    let frame: [UInt8]
    /// Every event up to this one is in it, and in the parts before it.
    ///
    /// The last event before the first part was read. The snapshot is as of then or later, and events since then are
    /// sent again.
    let sequence: Int64
    /// nil for the last part.
    let next: SnapshotPlace?
    /// Whether all of the downloads have ended.
    let haveAllEnded: Bool
}

/// The position in a snapshot.
struct SnapshotPlace: Hashable, Sendable {
    /// The last download that was shown.
    let id: DownloadID
    /// What the parts before showed (``SnapshotPart/sequence``).
    let sequence: Int64
}
