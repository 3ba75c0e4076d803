import Core

extension SessionAccount: RowValue {
    static let blank = SessionAccount(Session.blank.name, at: Timestamp(milliseconds: 0))

    static let columnList = columnNames().columnList()
    static let insertion = RowBatch.insertion(into: "session", columnNames())
    static let update = RowBatch.update(of: "session", columnNames { $0.downloadColumns(&$1) }, key: ["name"])
    /// Writes the columns that a client's change sets.
    static let settingsUpdate = RowBatch.update(
        of: "session",
        columnNames { $0.session.changingColumns(&$1) },
        key: ["name"]
    )

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("name", &session.name)
        try downloadColumns(&row)
        try session.changingColumns(&row)
    }

    /// The columns that the writes of downloads maintain.
    mutating func downloadColumns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try session.downloadColumns(&row)
        try row.column("deleted", &isDeleted)
        try row.column("epoch_started_at", &epochStartedAt)
        try row.column("ended_completed", &ended.completed)
        try row.column("ended_failed", &ended.failed)
        try row.column("ended_cancelled", &ended.cancelled)
        try row.column("ended_bytes", &ended.receivedBytes)
        try totals.columns(&row)
    }
}
