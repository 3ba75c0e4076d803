import Core

extension BulkOperation: RowValue {
    static let blank = BulkOperation(
        id: OperationID(first: Timestamp(milliseconds: 0)),
        request: BulkRequest(action: .pause),
        createdAt: Timestamp(milliseconds: 0),
        fence: 0
    )

    static let columnList = columnNames().columnList()
    static let insertion = RowBatch.insertion(into: "operation", columnNames())

    mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        var (id, fence) = (id, fence)
        try row.column("id", &id)
        try row.column("created_at", &createdAt)
        try row.column("fence_row", &fence)
        if row.isReading { self = BulkOperation(id: id, request: request, createdAt: createdAt, fence: fence) }
        try row.column("action", &request.action)
        try row.column("dry_run", &request.isDryRun)
        try row.column("keeps_partial", &request.keepsPartial)
        try row.column("forces", &request.forces)
        try row.column("removes_file", &request.removesFile)
        try request.filter.columns(&row)
        try progressColumns(&row)
    }

    /// The columns that a step changes.
    mutating func progressColumns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("changed", &counts.changed)
        try row.column("unchanged", &counts.unchanged)
        try row.column("failed", &counts.failed)
        try row.column("started_at", &startedAt)
        try row.column("finished_at", &finishedAt)
        try row.column("next_id", &position)
    }

    static let update = RowBatch.update(of: "operation", columnNames { $0.progressColumns(&$1) }, key: ["id"])
}

extension DownloadFilter {
    fileprivate mutating func columns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("filter_states", &states)
        try row.column("filter_session", &session)
        try row.column("filter_labels", &labels)
        try row.column("filter_host", &host)
        var port = port.map(Int.init)
        try row.column("filter_port", &port)
        if row.isReading { self.port = port.flatMap(UInt16.init(exactly:)) }
        try row.column("filter_error_code", &errorCode)
        try row.column("filter_created_after", &created.after)
        try row.column("filter_created_before", &created.before)
        try row.column("filter_finished_after", &finished.after)
        try row.column("filter_finished_before", &finished.before)
        try row.column("filter_text", &text)
        try row.column("filter_ids", &ids)
    }
}
