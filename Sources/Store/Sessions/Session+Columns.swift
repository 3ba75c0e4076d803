import Core

extension Session {
    static let blank = {
        guard let name = SessionName("blank") else { preconditionFailure("'blank' is the name of a session") }
        return Session(name: name, createdAt: Timestamp(milliseconds: 0))
    }()

    /// The columns that the writes of downloads maintain.
    mutating func downloadColumns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("session_epoch", &epoch)
        try row.column("open_count", &openCount)
        try row.column("created_at", &createdAt)
        try row.column("finished_at", &finishedAt)
        try row.column("used_bytes", &usedBytes)
    }

    /// The columns that a client's change sets.
    mutating func changingColumns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("sealed_at", &sealedAt)
        try row.column("revision", &revision)
        try row.column("rate_bytes_per_second", &settings.rateBytesPerSecond)
        try row.column("max_concurrent", &settings.maxConcurrent)
        try row.column("max_bytes", &settings.maxBytes)
        try row.column("description", &settings.description)
        try row.column("labels", &settings.labels)
        try row.retention(&settings.retention)
        try row.column("callback_url", &settings.callbackURL)
        try row.column("webhook_ids", &settings.webhookIDs)
    }
}
