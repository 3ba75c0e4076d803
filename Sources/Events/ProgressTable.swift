import Jobs
import Model
import Wire

/// How far the running transfers are, looked at four times a second for all streams.
///
/// A stream is shown a few of them at a time, in turns, and always the newest reading: however slow its client is, and
/// however many transfers there are, nothing waits to be sent.
struct ProgressTable {
    /// How often it is looked: no download is told of more often.
    static let interval = Duration.milliseconds(250)
    /// How many a stream is told of at a time: twenty a second.
    static let most = 5

    private struct Row {
        let id: DownloadID
        let session: SessionName?
        let reading: ProgressReading
        let frame: [UInt8]
        /// The look that found it changed.
        let changedAt: Int
    }

    /// In the order of their ids.
    private var rows: [Row] = []
    private(set) var looks = 0

    /// For so many looks a change is news: as many as it takes to tell a stream of all of them in turns.
    private var newsLooks: Int { (rows.count + Self.most - 1) / Self.most }

    mutating func look(at readings: [LiveReading], now: Timestamp) {
        looks += 1
        let known = Dictionary(rows.map { ($0.id, $0) }) { $1 }
        rows = readings.sorted { $0.id.text < $1.id.text }.map { live in
            if let row = known[live.id], row.reading == live.reading { return row }
            let frame = StreamFrame.progress(of: live.id, in: live.session, LiveProgress(live.reading, at: now))
            return Row(id: live.id, session: live.session, reading: live.reading, frame: frame, changedAt: looks)
        }
    }

    /// Tells nothing more of downloads to which something else has happened.
    mutating func forget(_ ids: Set<DownloadID>) {
        if !ids.isEmpty { rows.removeAll { ids.contains($0.id) } }
    }

    func hasNews(for filter: EventFilter) -> Bool {
        rows.contains { isNews($0) && filter.concerns(download: $0.id, of: $0.session) }
    }

    /// The frames of the next ones that are news for a stream, beginning behind the one that it was told of last.
    func next(after id: DownloadID?, for filter: EventFilter) -> (frames: [[UInt8]], last: DownloadID?) {
        let first = id.flatMap { id in rows.firstIndex { $0.id.text > id.text } } ?? 0
        let turn = (rows[first...] + rows[..<first]).lazy
            .filter { isNews($0) && filter.concerns(download: $0.id, of: $0.session) }.prefix(Self.most)
        return (turn.map(\.frame), turn.last?.id ?? id)
    }

    private func isNews(_ row: Row) -> Bool { looks - row.changedAt < newsLooks }
}
