import GRDB
public import Model

extension Store {
    public func download(_ id: DownloadID) async throws -> Download? {
        let version = lookedUp.version
        if let download = lookedUp.download(id, at: version) { return download }
        let download = try await readers.lookUp { try $0.download(id) }
        if let download { lookedUp.keep(download, at: version) }
        return download
    }

    /// The newest downloads first, those made before `id` if one is given.
    public func downloads(
        _ filter: DownloadFilter,
        before id: DownloadID?,
        limit: Int
    ) async throws -> [Download] {
        try await readers.read { database in
            // Several states are one indexed walk each: one over all states would pass by rows that it does not show.
            guard filter.states.count > 1 else {
                return try database.page(filter.states.first, filter.session, before: id, limit: limit)
            }
            let pages = try Set(filter.states).flatMap {
                try database.page($0, filter.session, before: id, limit: limit)
            }
            return Array(pages.sorted { $0.id.text > $1.id.text }.prefix(limit))
        }
    }
}

extension Database {
    fileprivate func page(
        _ state: DownloadState?,
        _ session: SessionName?,
        before id: DownloadID?,
        limit: Int
    ) throws -> [Download] {
        var conditions: [String] = []
        var values: [(any DatabaseValueConvertible)?] = []
        if let session {
            conditions.append("session = ?")
            values.append(session.text)
        }
        if let state {
            conditions.append("state = ?")
            values.append(state.rawValue)
        }
        if let id {
            conditions.append("id < ?")
            values.append(id.text)
        }
        let condition = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        return try downloads(
            "SELECT \(DownloadColumns.list) FROM download \(condition) ORDER BY id DESC LIMIT ?",
            values + [limit]
        )
    }
}
