import Core

extension BulkOperation: RowValue {
    static let blank = BulkOperation(
        id: OperationID(first: Timestamp(milliseconds: 0)),
        request: BulkRequest(action: .pause),
        createdAt: Timestamp(milliseconds: 0),
        fence: 0
    )

    static let columnList = columnNames().columnList()
    static let insertStatement = columnNames().insertion(into: "operation")

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
        try row.column("filter_states", &request.filter.states)
        try row.column("filter_session", &request.filter.session)
        try row.column("filter_ids", &request.filter.ids)
        try progressColumns(&row)
    }

    /// What a step changes.
    mutating func progressColumns<Coder: RowCoder>(_ row: inout Coder) throws(Coder.Failure) {
        try row.column("changed", &counts.changed)
        try row.column("unchanged", &counts.unchanged)
        try row.column("failed", &counts.failed)
        try row.column("started_at", &startedAt)
        try row.column("finished_at", &finishedAt)
        try row.column("next_id", &position)
    }

    static let updateStatement = {
        var names = ColumnNames()
        var blank = Self.blank
        blank.progressColumns(&names)
        return "UPDATE operation SET \(names.list.assignments) WHERE id = ?"
    }()
}
