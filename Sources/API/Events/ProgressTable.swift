import Core
import Service

/// The progress of running transfers, read four times a second for all streams.
///
/// A stream is shown a few of them at a time, in turns, and always the newest reading: however slow its client is, and
/// however many transfers there are, nothing waits to be sent.
struct ProgressTable {
    /// The interval of readings, and of the reports of one download.
    static let interval = Duration.milliseconds(250)
    /// The most reports for a stream per interval: twenty a second.
    static let most = 5

    fileprivate struct Row {
        let id: DownloadID
        let session: SessionName?
        let reading: ProgressReading
        let frame: [UInt8]
        /// The look that found it changed.
        let changedAt: Int
    }

    /// What a look found, made without a lock: the frames of many transfers take their time.
    struct Scan {
        fileprivate let rows: [Row]
        fileprivate let countOfSession: [SessionName: Int]
        fileprivate let number: Int
    }

    /// In the order of their ids.
    private var rows: [Row] = []
    private var countOfSession: [SessionName: Int] = [:]
    private(set) var scans = 0
    /// Downloads that have stopped, by the log, while their workers may still be stopping.
    private var stopped: Set<DownloadID> = []

    func scan(at readings: [RunningProgress], now: Timestamp) -> Scan {
        let known = Dictionary(rows.map { ($0.id, $0) }) { $1 }
        let rows = readings.sorted { $0.id.text < $1.id.text }.map { progress in
            if let row = known[progress.id], row.reading == progress.reading { return row }
            let frame = StreamFrame.progress(
                of: progress.id,
                in: progress.session,
                LiveProgress(progress.reading, at: now)
            )
            return Row(
                id: progress.id,
                session: progress.session,
                reading: progress.reading,
                frame: frame,
                changedAt: scans + 1
            )
        }
        let counts = Dictionary(grouping: rows.compactMap(\.session)) { $0 }.mapValues(\.count)
        return Scan(rows: rows, countOfSession: counts, number: scans + 1)
    }

    /// Shows what a look found, but for what has stopped since.
    mutating func show(_ scan: Scan) {
        (scans, rows, countOfSession) = (scan.number, scan.rows, scan.countOfSession)
        guard !stopped.isEmpty else { return }
        // One whose worker has left comes back with another claim only.
        stopped.formIntersection(rows.map(\.id))
        rows.removeAll { stopped.contains($0.id) }
    }

    /// Drops readings older than an event of their download. A download that has stopped gets no reading until it is
    /// claimed again: `progress` after its end would mean that it runs.
    ///
    /// - Parameter events: In their order.
    mutating func follow(_ events: [LoggedEvent]) {
        var changed: Set<DownloadID> = []
        for event in events {
            guard let id = event.download else { continue }
            if event.type == .downloadStarted {
                stopped.remove(id)
            } else {
                changed.insert(id)
                if event.type.stopsTransfer { stopped.insert(id) }
            }
        }
        if !changed.isEmpty { rows.removeAll { changed.contains($0.id) } }
    }

    func hasChanges(for filter: EventFilter) -> Bool {
        let scans = recentScans(for: filter)
        return rows.contains { isRecent($0, scans) && filter.concerns(download: $0.id, of: $0.session) }
    }

    /// The frames of the next changed readings for a stream, in turn after the last one that it got.
    func next(after id: DownloadID?, for filter: EventFilter) -> (frames: [[UInt8]], last: DownloadID?) {
        let scans = recentScans(for: filter)
        let first = id.flatMap { id in rows.firstIndex { $0.id.text > id.text } } ?? 0
        let following = [rows[first...], rows[..<first]].lazy.joined()
            .filter { isRecent($0, scans) && filter.concerns(download: $0.id, of: $0.session) }.prefix(Self.most)
        return (following.map(\.frame), following.last?.id ?? id)
    }

    /// For how many intervals a change is reported: as many as a stream needs for all its downloads in turn.
    private func recentScans(for filter: EventFilter) -> Int {
        if filter.download != nil { return 1 }
        let count = filter.session.map { countOfSession[$0, default: 0] } ?? rows.count
        return (count + Self.most - 1) / Self.most
    }

    private func isRecent(_ row: Row, _ recentScans: Int) -> Bool { scans - row.changedAt < recentScans }
}

extension EventType {
    /// Whether no worker has the download any more.
    fileprivate var stopsTransfer: Bool {
        switch self {
        case .downloadPaused, .downloadRetrying, .downloadWaiting, .downloadCompleted, .downloadFailed,
            .downloadCancelled, .downloadDeleted:
            true
        case .downloadCreated, .downloadStarted, .downloadResumed, .downloadRestarted, .downloadFileMissing,
            .sessionFinished, .operationFinished, .webhookDisabled, .webhookPing:
            false
        }
    }
}
