import Core
import TransferRules

extension FuzzTarget {
    /// The state file of `get`.
    static let getState = FuzzTarget(name: "get-state") { bytes in
        guard let record = GetRecord(json: bytes) else { return }
        try checkSame(record, GetRecord(json: try record.json()), "a record that is written is read again")
        let url = DownloadURL(normalized: record.url)
        guard url.isComplete else { return }
        let now = Timestamp(milliseconds: 0)
        let request = DownloadRequest(url: url)
        guard let progress = record.progress(of: request, at: now) else { return }
        let known = progress.download.progress
        try check(known.durableBytes >= 0 && known.totalBytes ?? 0 >= 0, "bytes are not negative")
        if let total = known.totalBytes, progress.download.file == nil {
            let plan = SegmentPlan(total: total, stored: progress.segments)
            try check(plan.segments.allSatisfy { $0.durableEnd <= total }, "a plan is made of the segments")
        }
        let again = GetRecord(progress).progress(of: request, at: now)
        try checkSame(progress, again, "a state that is written is read again")
        var fresh = progress
        fresh.startOver()
        try check(fresh.segments.isEmpty && fresh.download.generation > 0, "a restart begins with nothing")
    }
}
