import Core
import GRDB

/// Finds one page of a list, or counts it, on one snapshot (docs/decisions/0041).
struct DownloadList {
    let database: Database
    let filter: DownloadFilter
    let order: DownloadOrder
    /// Leaves out the rows that cannot be read.
    let readable: RowFilter

    /// How many rows of the table a walk examines for a page, and how many are sorted in memory.
    var examined = 2_000
    /// How far matches are counted.
    static let counted = 10_000

    /// A row that was found, and its position.
    private struct Found {
        let row: Int64
        let position: DownloadPosition
    }

    /// How the rows of a filter are found.
    private enum Plan {
        /// In the order of an index; rows that do not match are skipped.
        case walk(RowSource?)
        /// Few enough to sort them.
        case sort(RowSource)
    }

    func page(after position: DownloadPosition?, limit: Int) throws -> DownloadPage {
        let plan = try plan()
        var found: [Found] = []
        var next: DownloadPosition?
        for (number, group) in order.groups.enumerated()
        where number >= position?.group ?? 0 && group.canHave(filter) {
            let start = position?.group == number ? position : nil
            let room = limit + 1 - found.count
            switch plan {
            case .sort(let source):
                found += try rows(sort(source, group, after: start, limit: room), in: number)
            case .walk(let source):
                found += try rows(walk(source, group, after: start, limit: room), in: number)
                if found.count <= limit { next = try end(of: source, group, after: start, room, number) }
            }
            if found.count > limit || next != nil { break }
        }
        if found.count > limit {
            found.removeLast()
            next = found.last?.position
        }
        return DownloadPage(downloads: try downloads(found), next: next)
    }

    /// The number of matches.
    func count() throws -> DownloadCount {
        if filter.hasKeptTotals {
            let totals = try filter.session.map { try database.totals(of: $0) } ?? database.totals()
            return DownloadCount(total: totals.count(of: filter.states), isLowerBound: false)
        }
        let source = try shortestSource(upTo: Self.counted)?.source ?? filter.everything
        let conditions = filter.conditions(without: source.terms)
        let rows = source.rows(upTo: Self.counted + 1)
        // Without further conditions the index alone is read.
        let join = conditions.isEmpty ? "w.row" : "d.row"
        let matches =
            Fragment("SELECT count(*), count(\(join)) FROM (\(rows.sql)) w", rows.values)
            + (conditions.isEmpty
                ? Fragment("")
                : Fragment("LEFT JOIN download d ON d.row = w.row") + .all(conditions, after: "AND"))
        let row = try Row.fetchOne(database, sql: matches.sql, arguments: StatementArguments(matches.values))
        guard let row else { return DownloadCount(total: 0, isLowerBound: false) }
        let (examined, total): (Int, Int) = (row[0], row[1])
        return DownloadCount(total: min(total, Self.counted), isLowerBound: examined > Self.counted)
    }

    // MARK: - Plans

    private func plan() throws -> Plan {
        let sources = filter.sources
        // The only source is walked in its own order, whatever its length.
        if order.key == .createdAt, sources.count <= 1, sources.allSatisfy(\.isInIDOrder) {
            return .walk(sources.first)
        }
        guard let (source, size) = try shortestSource(upTo: examined) else { return .walk(nil) }
        if size <= examined && !(order.key == .createdAt && source.isInIDOrder) { return .sort(source) }
        return .walk(source.isInIDOrder ? source : nil)
    }

    /// The source with the fewest rows, and how many it has, counted a little beyond the limit.
    private func shortestSource(upTo limit: Int) throws -> (source: RowSource, size: Int)? {
        let sized = try filter.sources.map { source in
            let rows = source.rows(upTo: limit + 1)
            let size = try Int.fetchOne(
                database,
                sql: "SELECT count(*) FROM (\(rows.sql))",
                arguments: StatementArguments(rows.values)
            )
            return (source: source, size: size ?? 0)
        }
        // Of several that are long, one in the order of ids can be walked.
        return sized.min { ($0.size, $0.source.isInIDOrder ? 0 : 1) < ($1.size, $1.source.isInIDOrder ? 0 : 1) }
    }

    // MARK: - Statements

    /// The matches of a short source, sorted.
    private func sort(
        _ source: RowSource,
        _ group: OrderGroup,
        after position: DownloadPosition?,
        limit: Int
    ) -> Fragment {
        let rows = source.rows(upTo: nil)
        let conditions = group.conditions(of: "d.") + filter.conditions(without: source.terms)
        return Fragment("SELECT d.row, d.id, \(group.column.map { "d.\($0)" } ?? "NULL") FROM")
            + Fragment("(\(rows.sql)) w CROSS JOIN download d ON d.row = w.row \(readableClause)", rows.values)
            + .all(conditions + group.after(position, order, of: "d."))
            + Fragment("\(group.orderClause(order, of: "d.")) LIMIT ?", [limit])
    }

    /// The next matches in the order of an index.
    private func walk(
        _ source: RowSource?,
        _ group: OrderGroup,
        after position: DownloadPosition?,
        limit: Int
    ) -> Fragment {
        let walked = walked(source, group, after: position, limit: max(examined, limit))
        return Fragment("SELECT w.row, w.id, w.key FROM (\(walked.sql)) w", walked.values)
            + Fragment("CROSS JOIN download d ON d.row = w.row \(readableClause)") + .all(remaining(source, group))
            + Fragment("LIMIT ?", [limit])
    }

    private func walked(
        _ source: RowSource?,
        _ group: OrderGroup,
        after position: DownloadPosition?,
        limit: Int
    ) -> Fragment {
        if let index = group.index, let column = group.column {
            return Fragment("SELECT row, id, \(column) AS key FROM download INDEXED BY \(index)")
                + .all(group.conditions() + filter.range(of: group) + group.after(position, order))
                + Fragment("\(group.orderClause(order)) LIMIT ?", [limit])
        }
        return (source ?? groupSource(group)).walk(after: position, order, limit: limit)
    }

    /// What is walked if no source of the filter is.
    private func groupSource(_ group: OrderGroup) -> RowSource {
        guard !group.states.isEmpty else { return filter.everything }
        return filter.stateSource(group.states.filter { filter.states.isEmpty || filter.states.contains($0) })
    }

    /// The conditions that a walk does not meet by itself.
    private func remaining(_ source: RowSource?, _ group: OrderGroup) -> [Fragment] {
        if group.column != nil { return filter.conditions(without: []) }
        // The states of a group are not those of the filter.
        let terms = source?.terms ?? groupSource(group).terms.subtracting([.states])
        return filter.conditions(without: terms) + group.conditions(of: "d.")
    }

    /// The last row that a walk examined, if it ended there.
    private func end(
        of source: RowSource?,
        _ group: OrderGroup,
        after position: DownloadPosition?,
        _ limit: Int,
        _ number: Int
    ) throws -> DownloadPosition? {
        // Without a condition, whatever was examined was found.
        guard !remaining(source, group).isEmpty else { return nil }
        let count = max(examined, limit)
        let walked = walked(source, group, after: position, limit: count)
        let last = Fragment("SELECT * FROM (\(walked.sql)) LIMIT 1 OFFSET ?", walked.values + [count - 1])
        return try rows(last, in: number, isReported: false).last?.position
    }

    private var readableClause: String { readable.clause.replacing("AND id", with: "AND d.id") }

    // MARK: - Rows

    /// - Parameter isReported: Whether an id that cannot be read is an error, so that its row is left out next time.
    private func rows(_ fragment: Fragment, in group: Int, isReported: Bool = true) throws -> [Found] {
        let arguments = StatementArguments(fragment.values)
        let isNamed = fragment.sql.contains(":unreadable")
        let cursor = try Row.fetchCursor(
            database.cachedStatement(sql: fragment.sql),
            arguments: isNamed ? readable.arguments(arguments) : arguments
        )
        var found: [Found] = []
        while let row = try cursor.next() {
            let text: String = row[1]
            guard let id = DownloadID(text) else {
                guard isReported else { continue }
                throw StoreError.unreadableDownloads([UnreadableDownload(id: text, reason: "'\(text)' in column id")])
            }
            let key: DownloadPosition.Key? =
                switch (row[2] as DatabaseValue).storage {
                case .int64(let number): .number(number)
                case .string(let text): .text(text)
                case .null, .double, .blob: nil
                }
            found.append(Found(row: row[0], position: DownloadPosition(group: group, key: key, id: id)))
        }
        return found
    }

    private func downloads(_ found: [Found]) throws -> [Download] {
        guard !found.isEmpty else { return [] }
        let rows = "[" + found.map { String($0.row) }.joined(separator: ",") + "]"
        let read = try database.downloads(
            "SELECT \(Download.columnList) FROM download WHERE row IN (SELECT value FROM json_each(?))",
            [rows]
        )
        let places = Dictionary(uniqueKeysWithValues: found.enumerated().map { ($1.position.id, $0) })
        return read.sorted { places[$0.id] ?? 0 < places[$1.id] ?? 0 }
    }
}
