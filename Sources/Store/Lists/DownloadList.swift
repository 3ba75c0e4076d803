import Core
import GRDB

/// Finds the downloads that a filter selects, page by page, or counts them, in one snapshot (docs/decisions/0041).
struct DownloadList {
    let database: Database
    let filter: DownloadFilter
    var order = DownloadOrder()
    /// Leaves out the rows that cannot be read.
    let readable: RowFilter
    /// Only smaller rows are found; nil for no limit.
    var fence: Int64?

    /// How many rows of the table are examined: by a walk in the order of ids for a page, and for a count if no index
    /// alone tells the matches. As many are sorted in memory.
    var examined = 2_000
    /// The maximum number of matches that are counted.
    static let mostCounted = 10_000
    var counted = Self.mostCounted

    struct Found {
        let row: Int64
        let position: DownloadPosition
        /// nil if this version does not know the state.
        let state: DownloadState?
    }

    /// How the rows of a filter are found.
    private enum Plan {
        /// In the order of an index; rows that do not match are skipped.
        case walk(RowSource?)
        /// Few enough to sort them.
        case sort(RowSource)
    }

    func page(after position: DownloadPosition?, limit: Int) throws -> DownloadPage {
        let (found, next) = try found(after: position, limit: limit)
        return DownloadPage(downloads: try downloads(found), next: next)
    }

    /// The next matches, at most `limit`, and the position after which to continue; nil if there are no more. There can
    /// be more after fewer than `limit` matches.
    ///
    /// - Throws: ``StoreError/unreadableDownloads(_:)`` for an id that cannot be read.
    func found(
        after position: DownloadPosition?,
        limit: Int
    ) throws -> (found: [Found], next: DownloadPosition?) {
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
        return (found, next)
    }

    /// The number of matches.
    func count() throws -> DownloadCount {
        if filter.hasKeptTotals {
            let totals = try filter.session.map { try database.totals(of: $0) } ?? database.totals()
            return DownloadCount(total: totals.count(of: filter.states), isLowerBound: false)
        }
        // If rows must be read, an index need not be counted further than they are.
        let isToldByOneIndex = filter.sources.contains { filter.conditions(without: $0.terms).isEmpty }
        let source = try shortestSource(upTo: isToldByOneIndex ? counted : examined)?.source ?? filter.everything
        let conditions = filter.conditions(without: source.terms)
        let most = conditions.isEmpty ? counted : examined
        let rows = source.rows(upTo: most + 1)
        // Without further conditions the index alone is read.
        let join = conditions.isEmpty ? "w.row" : "d.row"
        let matches =
            Fragment("SELECT count(*), count(\(join)) FROM (\(rows.sql)) w", rows.values)
            + (conditions.isEmpty
                ? Fragment("")
                : Fragment("LEFT JOIN download d ON d.row = w.row") + .all(conditions, after: "AND"))
        let row = try Row.fetchOne(database, sql: matches.sql, arguments: StatementArguments(matches.values))
        guard let row else { return DownloadCount(total: 0, isLowerBound: false) }
        let (read, total): (Int, Int) = (row[0], row[1])
        return DownloadCount(total: min(total, most), isLowerBound: read > most)
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

    /// The source with the fewest rows, and their number, counted up to one more than the limit.
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
        // Of several long sources, one in the order of ids can be walked.
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
        let conditions = group.conditions(of: "d.") + filter.conditions(without: source.terms) + fenceCondition
        return Fragment("SELECT d.row, d.id, \(group.column.map { "d.\($0)" } ?? "NULL"), d.state FROM")
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
        let walked = walked(source, group, after: position, limit: walkLength(group, limit))
        return Fragment("SELECT w.row, w.id, w.key, d.state FROM (\(walked.sql)) w", walked.values)
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

    /// How many rows a walk examines. In an order other than that of ids each row is on a page of its own, and takes
    /// about three times as long.
    private func walkLength(_ group: OrderGroup, _ limit: Int) -> Int {
        max(group.index == nil ? examined : (examined + 2) / 3, limit)
    }

    /// The rows that are walked if no source of the filter is.
    private func groupSource(_ group: OrderGroup) -> RowSource {
        guard !group.states.isEmpty else { return filter.everything }
        return filter.stateSource(group.states.filter { filter.states.isEmpty || filter.states.contains($0) })
    }

    /// The conditions that the rows of a walk do not meet already.
    private func remaining(_ source: RowSource?, _ group: OrderGroup) -> [Fragment] {
        if group.column != nil { return filter.conditions() + fenceCondition }
        // The states of a group are not those of the filter.
        let terms = source?.terms ?? groupSource(group).terms.subtracting([.states])
        return filter.conditions(without: terms) + group.conditions(of: "d.") + fenceCondition
    }

    private var fenceCondition: [Fragment] { fence.map { [Fragment("d.row < ?", [$0])] } ?? [] }

    /// The position of the last row that a walk examined; nil if the walk reached the end of its rows.
    private func end(
        of source: RowSource?,
        _ group: OrderGroup,
        after position: DownloadPosition?,
        _ limit: Int,
        _ number: Int
    ) throws -> DownloadPosition? {
        // Without a condition, every examined row was found.
        guard !remaining(source, group).isEmpty else { return nil }
        let count = walkLength(group, limit)
        let walked = walked(source, group, after: position, limit: count)
        let last = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT * FROM (\(walked.sql)) LIMIT 1 OFFSET ?"),
            arguments: StatementArguments(walked.values + [count - 1])
        )
        guard let last else { return nil }
        return try Self.position(of: last, in: number) ?? lastPosition(of: walked, in: number)
    }

    /// The position of the last row whose id can be read.
    private func lastPosition(of walked: Fragment, in number: Int) throws -> DownloadPosition? {
        try Row.fetchAll(database, sql: walked.sql, arguments: StatementArguments(walked.values))
            .reversed().lazy.compactMap { Self.position(of: $0, in: number) }.first
    }

    private var readableClause: String { readable.clause.replacing("AND id", with: "AND d.id") }

    // MARK: - Rows

    private func rows(_ fragment: Fragment, in group: Int) throws -> [Found] {
        let cursor = try Row.fetchCursor(
            database.cachedStatement(sql: fragment.sql),
            arguments: readable.arguments(StatementArguments(fragment.values))
        )
        var found: [Found] = []
        while let row = try cursor.next() {
            guard let position = Self.position(of: row, in: group) else {
                let id: String = row[1]
                throw StoreError.unreadableDownloads([UnreadableDownload(id: id, reason: "'\(id)' in column id")])
            }
            let state: String = row[3]
            found.append(Found(row: row[0], position: position, state: DownloadState(rawValue: state)))
        }
        return found
    }

    /// The position of a row of (row, id, key); nil if its id cannot be read.
    private static func position(of row: Row, in group: Int) -> DownloadPosition? {
        guard let id = DownloadID(row[1] as String) else { return nil }
        let key: DownloadPosition.Key? =
            switch (row[2] as DatabaseValue).storage {
            case .int64(let number): .number(number)
            case .string(let text): .text(text)
            case .null, .double, .blob: nil
            }
        return DownloadPosition(group: group, key: key, id: id)
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
