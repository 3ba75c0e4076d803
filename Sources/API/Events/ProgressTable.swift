import Core
import Service

/// The progress of running transfers, read four times a second for all streams.
///
/// Each interval, a stream gets the newest readings of a few transfers, in turn. So no reading waits in a queue,
/// however slow the client is and however many transfers run.
struct ProgressTable {
    /// The interval between readings, and between the reports of one download.
    static let interval = Duration.milliseconds(250)
    /// The maximum number of reports per stream and interval: 20 per second.
    static let most = 5

    fileprivate struct Row {
        let id: DownloadID
        let session: SessionName?
        let reading: ProgressReading
        let frame: [UInt8]
        /// The frame with the segments; nil if no stream wanted them at the last change.
        let segmentsFrame: [UInt8]?
        /// The number of the scan that found the last change.
        let changedAt: Int
    }

    /// The result of a scan. It is built without a lock, because encoding many frames takes time.
    struct Scan {
        fileprivate let rows: [Row]
        fileprivate let countOfSession: [SessionName: Int]
        fileprivate let number: Int
    }

    /// Ordered by id.
    private var rows: [Row] = []
    private var countOfSession: [SessionName: Int] = [:]
    private(set) var scans = 0
    /// Downloads that have stopped according to the log, while their workers may still be stopping.
    private var stopped: Set<DownloadID> = []

    /// - Parameter segments: Returns the segments of a download; nil if no stream wants them.
    func scan(
        at readings: [RunningProgress],
        now: Timestamp,
        segments: (RunningProgress) -> [SegmentReading]? = { _ in nil }
    ) -> Scan {
        let known = Dictionary(rows.map { ($0.id, $0) }) { $1 }
        let rows = readings.sorted { $0.id.text < $1.id.text }.map { progress in
            let segments = segments(progress)
            if let row = known[progress.id], row.reading == progress.reading,
                segments == nil || row.segmentsFrame != nil
            {
                return row
            }
            return Row(progress, segments, now, scan: scans + 1)
        }
        let counts = Dictionary(grouping: rows.compactMap(\.session)) { $0 }.mapValues(\.count)
        return Scan(rows: rows, countOfSession: counts, number: scans + 1)
    }

    /// Publishes the result of a scan, without the downloads that have stopped since.
    mutating func show(_ scan: Scan) {
        (scans, rows, countOfSession) = (scan.number, scan.rows, scan.countOfSession)
        guard !stopped.isEmpty else { return }
        // A download without a worker can leave the set: only another claim can start it again.
        stopped.formIntersection(rows.map(\.id))
        rows.removeAll { stopped.contains($0.id) }
    }

    /// Drops readings older than an event of their download. A stopped download gets no reading until it is claimed
    /// again: `progress` after its end would mean that it runs.
    ///
    /// - Parameter events: In the order of the log.
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

    /// The frames of the next changed readings for a stream, starting after the download that it got last.
    ///
    /// - Parameter hasSegments: Whether the frames contain the segments. A reading without them is left out: the next
    ///   one has them.
    func next(
        after id: DownloadID?,
        for filter: EventFilter,
        hasSegments: Bool = false
    ) -> (frames: [[UInt8]], last: DownloadID?) {
        let scans = recentScans(for: filter)
        let first = id.flatMap { id in rows.firstIndex { $0.id.text > id.text } } ?? 0
        let following = [rows[first...], rows[..<first]].lazy.joined()
            .filter { isRecent($0, scans) && filter.concerns(download: $0.id, of: $0.session) }
            .compactMap { row in (hasSegments ? row.segmentsFrame : row.frame).map { (id: row.id, frame: $0) } }
            .prefix(Self.most)
        return (following.map(\.frame), following.last?.id ?? id)
    }

    /// For how many intervals a change can be reported: enough for a stream to report each of its downloads in turn.
    private func recentScans(for filter: EventFilter) -> Int {
        if filter.download != nil { return 1 }
        let count = filter.session.map { countOfSession[$0, default: 0] } ?? rows.count
        return (count + Self.most - 1) / Self.most
    }

    private func isRecent(_ row: Row, _ recentScans: Int) -> Bool { scans - row.changedAt < recentScans }
}

extension ProgressTable.Row {
    fileprivate init(_ progress: RunningProgress, _ segments: [SegmentReading]?, _ now: Timestamp, scan: Int) {
        let live = LiveProgress(progress.reading, at: now)
        self.init(
            id: progress.id,
            session: progress.session,
            reading: progress.reading,
            frame: StreamFrame.progress(of: progress.id, in: progress.session, live),
            segmentsFrame: segments.map {
                StreamFrame.progress(of: progress.id, in: progress.session, live, segments: $0)
            },
            changedAt: scan
        )
    }
}

extension EventType {
    /// Whether the download has no worker after this event.
    fileprivate var stopsTransfer: Bool {
        switch self {
        case .downloadPaused, .downloadRetrying, .downloadWaiting, .downloadCompleted, .downloadFailed,
            .downloadCancelled, .downloadDeleted:
            true
        case .downloadCreated, .downloadStarted, .downloadResumed, .downloadRestarted, .downloadFileMissing,
            .fileExpired,
            .sessionFinished, .operationFinished, .webhookDisabled, .webhookPing:
            false
        }
    }
}
