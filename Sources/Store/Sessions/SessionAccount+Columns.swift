import Core

extension SessionAccount: RowValue {
    static let blank = SessionAccount(Session.blank.name, at: Timestamp(milliseconds: 0))

    static let columnList = columnNames().columnList()
    static let insertStatement = columnNames().insertion(into: "session")

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

    static let updateStatement = {
        var names = ColumnNames()
        var blank = Self.blank
        blank.downloadColumns(&names)
        return "UPDATE session SET \(names.list.assignments) WHERE name = ?"
    }()
}
