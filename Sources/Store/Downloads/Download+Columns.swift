import Core

/// The parts of a `download` row. The columns of a part are written together, and only if one of them changed: SQLite
/// updates an index and runs a trigger for each column that a statement sets, even to the same value.
enum DownloadPart: CaseIterable {
    /// The client's request.
    case request
    /// Columns that change with nearly every write.
    case marks
    /// The state and its times, which most indexes and triggers use.
    case life
    case progress
    /// The known size. It is a part of its own because it has an index, and the other progress changes far more often.
    case size
    case source
    case file
    case error
    /// The name in the form in which lists sort and search it. It is derived from other parts.
    case name

    static let all = allCases
}

extension Download: RowValue {
    static let blank = Download(
        id: DownloadID(first: Timestamp(milliseconds: 0)),
        request: .blank,
        state: .queued,
        times: Times(createdAt: Timestamp(milliseconds: 0), deadlineAt: Timestamp(milliseconds: 0))
    )

    /// For SELECT and RETURNING.
    static let columnList = columnNames().columnList()

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        // These are written only when the row is created.
        var (id, request, createdAt) = (id, request, times.createdAt)
        try row.column("id", &id)
        try row.column("session", &request.session)
        try row.column("dedupe_key", &request.dedupeKey)
        var callbackURLs = request.callbackURLs
        try row.column("callback_url", &callbackURLs)
        try row.column("webhook_ids", &request.webhookIDs)
        try row.column("created_at", &createdAt)
        try request.columns(&row)
        if row.isReading {
            request.callbackURL = callbackURLs.first
            request.joinedCallbackURLs = Array(callbackURLs.dropFirst())
            // The columns that follow replace these initial values.
            let times = Times(createdAt: createdAt, deadlineAt: createdAt)
            self = Download(id: id, request: request, state: .queued, times: times)
        }
        for part in DownloadPart.all where part != .request { try columns(of: part, &row) }
        if row.isReading, case .at = request.deadline { self.request.deadline = .at(times.deadlineAt) }
    }

    mutating func columns<Coder: RowCoder>(
        of part: DownloadPart,
        _ row: inout Coder
    ) throws(Coder.Failure) {
        switch part {
        case .request:
            var request = request
            try request.columns(&row)
            if row.isReading { self.request = request }
        case .marks:
            try row.column("phase", &phase)
            try row.column("revision", &revision)
            try row.column("updated_at", &times.updatedAt)
        case .life: try lifeColumns(&row)
        case .progress:
            try row.column("durable_bytes", &progress.durableBytes)
            try row.column("resumed_from_bytes", &progress.resumedFromBytes)
            try row.column("progressed_at", &times.progressedAt)
        case .size: try row.column("total_bytes", &progress.totalBytes)
        case .source:
            var source = source
            try source.columns(&row)
            if row.isReading { self.source = source }
        case .file:
            var (file, kept) = (file, keptFile.map(KeptFile.init))
            try row.optional(&file)
            try row.optional(&kept)
            if row.isReading { (self.file, keptFile) = (file, kept?.file) }
        case .error:
            var error = error
            try row.optional(&error)
            if row.isReading { self.error = error }
        case .name:
            var key = row.isReading ? "" : nameKey
            try row.column("name_key", &key)
        }
    }

    private mutating func lifeColumns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("state", &state)
        try row.column("waiting_for", &waitingFor)
        try row.column("run", &run)
        try row.column("epoch", &epoch)
        try row.column("node", &node)
        try row.column("generation", &generation)
        try row.column("attempts", &attempts.count)
        try row.column("attempts_without_progress", &attempts.withoutProgress)
        try row.column("restarts", &attempts.restarts)
        try row.column("same_failures", &attempts.sameFailures)
        try row.column("suspect_responses", &attempts.suspectResponses)
        try row.column("mismatches", &attempts.mismatches)
        try row.column("url_refreshes", &attempts.urlRefreshes)
        try row.column("crash_count", &attempts.crashes)
        try row.column("crash_count_despite_progress", &attempts.crashesDespiteProgress)
        try row.column("queued_at", &times.queuedAt)
        try row.column("started_at", &times.startedAt)
        try row.column("finished_at", &times.finishedAt)
        try row.column("next_attempt_at", &times.nextAttemptAt)
        try row.column("deadline_at", &times.deadlineAt)
        try row.column("paused_at", &times.pausedAt)
    }

    /// Whether a part differs from `old`, by its value or by its columns.
    func isChanged(_ part: DownloadPart, since old: Download) -> Bool {
        switch part {
        case .request: old.request != request && !request.differsOnlyInCallbacks(from: old.request)
        case .source: old.source != source
        case .file: old.file != file || old.keptFile != keptFile
        case .error: old.error != error
        case .size: old.progress.totalBytes != progress.totalBytes
        // A name is rarely changed by its sources, and the column has an index.
        case .name: !hasNameSources(of: old) && old.nameKey != nameKey
        case .marks, .life, .progress: old.storedValues(of: part) != storedValues(of: part)
        }
    }

    private func storedValues(of part: DownloadPart) -> [SQLValue] {
        var (values, download) = (StoredValues(), self)
        download.columns(of: part, &values)
        return values.list
    }
}

extension DownloadRequest {
    /// The URLs have a column that is no part, and most completions change nothing else of a request.
    fileprivate func differsOnlyInCallbacks(from old: Self) -> Bool {
        var request = self
        (request.callbackURL, request.joinedCallbackURLs) = (old.callbackURL, old.joinedCallbackURLs)
        return request == old
    }
}
