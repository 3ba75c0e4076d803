import Core

/// Rows that meet some conditions of a filter, found by an index without reading the table.
struct RowSource {
    /// The conditions of a filter that a source can meet.
    enum Term: Hashable {
        case states, session, host, errorCode, ids, finished, created
        case label(Int)
    }

    /// Parts that are walked separately and merged by id.
    let parts: [Part]
    /// The conditions that all its rows meet.
    let terms: Set<Term>
    /// Whether the parts are in the order of ids.
    var isInIDOrder = true

    struct Part {
        let table: String
        let conditions: [Statement]
    }

    /// At most `limit` rows, in any order.
    func rows(upTo limit: Int?) -> Statement {
        let selects = parts.map { part in
            Statement("SELECT row FROM \(part.table)") + .all(part.conditions)
        }
        let union = selects.joined(by: "UNION ALL")
        return limit.map { union.enclosed("SELECT row FROM (", ") AS s LIMIT ?", [$0]) } ?? union
    }

    /// At most `limit` rows after a position, in the order of ids.
    func walk(after position: DownloadPosition?, _ order: DownloadOrder, limit: Int) -> Statement {
        let group = OrderGroup(column: nil)
        let selects = parts.map { part in
            Statement("SELECT row, id, NULL AS key FROM \(part.table)")
                + .all(part.conditions + group.after(position, order))
        }
        return selects.joined(by: "UNION ALL") + Statement("\(group.orderClause(order)) LIMIT ?", [limit])
    }
}

extension DownloadFilter {
    /// The limits of the creation time, as limits of the id.
    var idRange: [Statement] { idRange(of: "") }

    private func idRange(of table: String) -> [Statement] {
        let first = created.after.map { DownloadID(first: $0 + .milliseconds(1)) }
        let end = created.before.map { DownloadID(first: $0) }
        return [
            first.map { Statement("\(table)id >= ?", [$0]) },
            end.map { Statement("\(table)id < ?", [$0]) },
        ].compactMap(\.self)
    }

    /// The conditions that limit a walk of a group's index.
    func range(of group: OrderGroup) -> [Statement] {
        group.column == "finished_at" ? finishedRange(of: "") : []
    }

    private func finishedRange(of table: String) -> [Statement] {
        [
            finished.after.map { Statement("\(table)finished_at > ?", [$0]) },
            finished.before.map { Statement("\(table)finished_at < ?", [$0]) },
        ].compactMap(\.self)
    }

    /// The sources for the conditions that have an index.
    var sources: [RowSource] {
        var sources: [RowSource] = []
        func add(_ terms: Set<RowSource.Term>, _ index: String, _ condition: Statement) {
            let part = RowSource.Part(table: "download {index \(index)}", conditions: [condition] + idRange)
            sources.append(RowSource(parts: [part], terms: terms.union([.created])))
        }
        if !ids.isEmpty {
            let condition = Statement("id {in ?}", [idList])
            let part = RowSource.Part(table: "download", conditions: [condition] + idRange)
            sources.append(RowSource(parts: [part], terms: [.ids, .created], isInIDOrder: false))
        }
        if !states.isEmpty || session != nil { sources.append(stateSource(states)) }
        for (index, label) in labels.enumerated() {
            let condition = Statement("name = ? AND value = ?", [label.name, label.value])
            let part = RowSource.Part(table: "download_label", conditions: [condition] + idRange)
            sources.append(RowSource(parts: [part], terms: [.label(index), .created]))
        }
        if let errorCode { add([.errorCode], "download_by_error", Statement("error_code = ?", [errorCode])) }
        if let host { add([.host], "download_by_host", Statement("host = ?", [host])) }
        if !finished.isUnlimited {
            let conditions = [Statement("finished_at IS NOT NULL")] + finishedRange(of: "")
            let part = RowSource.Part(table: "download {index download_by_end}", conditions: conditions)
            sources.append(RowSource(parts: [part], terms: [.finished], isInIDOrder: false))
        }
        if !created.isUnlimited { sources.append(everything) }
        return sources
    }

    private var idList: SQLValue { .texts(ids.map(\.text)) }

    /// All downloads, in the range of the times of creation.
    var everything: RowSource {
        RowSource(parts: [RowSource.Part(table: "download", conditions: idRange)], terms: [.created])
    }

    /// Downloads in some states, or in any; of the session, if the filter has one.
    func stateSource(_ states: [DownloadState]) -> RowSource {
        let shown = states.isEmpty ? DownloadState.allCases : states.unique
        let parts = shown.map { state in
            let state = Statement("state = ?", [state])
            let session = session.map { [Statement("session = ?", [$0])] } ?? []
            let index = session.isEmpty ? "download_by_state" : "download_by_session"
            return RowSource.Part(table: "download {index \(index)}", conditions: session + [state] + idRange)
        }
        return RowSource(parts: parts, terms: session == nil ? [.states, .created] : [.states, .session, .created])
    }

    /// The conditions on a row, except for those that its source meets.
    func conditions(without terms: Set<RowSource.Term> = []) -> [Statement] {
        var conditions: [Statement] = []
        if !terms.contains(.states), !states.isEmpty {
            let shown = states.unique
            conditions.append(Statement("d.state IN (\(shown.map { _ in "?" }.joined(separator: ", ")))", shown))
        }
        if !terms.contains(.session), let session { conditions.append(Statement("d.session = ?", [session])) }
        if !terms.contains(.host), let host { conditions.append(Statement("d.host = ?", [host])) }
        if let port { conditions.append(Statement("d.port = ?", [Int64(port)])) }
        if !terms.contains(.errorCode), let errorCode {
            conditions.append(Statement("d.error_code = ?", [errorCode]))
        }
        if !terms.contains(.finished) { conditions += finishedRange(of: "d.") }
        if !terms.contains(.created) { conditions += idRange(of: "d.") }
        if !terms.contains(.ids), !ids.isEmpty {
            conditions.append(Statement("d.id {in ?}", [idList]))
        }
        for (index, label) in labels.enumerated() where !terms.contains(.label(index)) {
            let match = "EXISTS (SELECT 1 FROM download_label l WHERE l.name = ? AND l.value = ? AND l.id = d.id)"
            conditions.append(Statement(match, [label.name, label.value]))
        }
        if let text { conditions.append(Self.search(text)) }
        return conditions
    }

    /// Searches the name and the URL. The query of the URL is left out, because it may be a secret: a search must not
    /// reveal what responses hide.
    private static func search(_ text: String) -> Statement {
        let url = "lower(substr(d.url, 1, {position}(d.url || '?', '?') - 1))"
        let condition = "{position}(d.name_key, ?) > 0 OR {position}(\(url), ?) > 0"
        let (key, decomposed) = (text.searchKey, text.decomposedSearchKey)
        guard !decomposed.utf8.elementsEqual(key.utf8) else {
            return Statement("(\(condition))", [key, key])
        }
        return Statement("(\(condition) OR {position}(d.name_key, ?) > 0)", [key, key, decomposed])
    }
}

extension Database {
    /// Whether a filter selects a download.
    func selects(_ filter: DownloadFilter, _ id: DownloadID) throws -> Bool {
        let conditions = [Statement("d.id = ?", [id])] + filter.conditions()
        return try exists(Statement("SELECT 1 FROM download d") + .all(conditions))
    }
}

extension [DownloadState] {
    fileprivate var unique: Self { DownloadState.allCases.filter(contains) }
}
