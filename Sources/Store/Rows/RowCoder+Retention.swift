import Core

extension RowCoder {
    /// Visits `expires_at` and `keep_file_seconds`, of which at most one is set. -1 seconds means forever.
    mutating func retention(_ retention: inout FileRetention?) throws(Failure) {
        var instant = retention?.instant
        var seconds: Int64?
        switch retention {
        case .after(let period): seconds = period.count
        case .forever: seconds = -1
        case .until, nil: break
        }
        try column("expires_at", &instant)
        try column("keep_file_seconds", &seconds)
        guard isReading else { return }
        retention = instant.map(FileRetention.until) ?? seconds.map { $0 < 0 ? .forever : .after(WholeSeconds($0)) }
    }
}
