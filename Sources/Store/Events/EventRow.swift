import Core

/// A row of the event log, for writing and reading.
struct EventRow: RowValue {
    var sequence: Int64
    var id: EventID
    var type: EventType
    var at: Timestamp
    /// The text as written: an event outlives its download, and a later version may use another form of id.
    var download: String?
    var session: String?
    var body: Blob
    /// Only for indexes: they find the single end of a run, and of an epoch of a session.
    var run: Int?
    var sessionEpoch: Int64?

    static let blank = EventRow(
        sequence: 0,
        id: EventID(first: Timestamp(milliseconds: 0)),
        type: .webhookPing,
        at: Timestamp(milliseconds: 0),
        body: Blob([])
    )

    static let columnList = columnNames().columnList()
    static let insertion = RowBatch.insertion(into: "event", columnNames())

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("seq", &sequence)
        try row.column("id", &id)
        try row.column("type", &type)
        try row.column("at", &at)
        try row.column("download", &download)
        try row.column("run", &run)
        try row.column("session", &session)
        try row.column("session_epoch", &sessionEpoch)
        // Derived from the type.
        var isTerminal = type.isTerminal
        try row.column("terminal", &isTerminal)
        try row.column("body", &body)
    }

    /// The event as readers of the log see it.
    var event: LoggedEvent {
        LoggedEvent(
            sequence: sequence,
            id: id,
            type: type,
            at: at,
            download: download.flatMap { DownloadID($0) },
            session: session.flatMap { SessionName($0) },
            body: body.bytes
        )
    }
}
