import Core

/// Finds the downloads that a filter selects, page by page, or counts them, in one snapshot (docs/decisions/0041).
struct DownloadList {
    let database: any Database
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
            let account = try filter.session.map { try database.account($0)?.totals ?? DownloadTotals() }
            let totals = try account ?? database.totals()
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
            rows.enclosed("SELECT count(*), count(\(join)) FROM (", ") w")
            + (conditions.isEmpty
                ? Statement("")
                : Statement("LEFT JOIN download d ON d.row = w.row") + .all(conditions, after: "AND"))
        let counts = try database.first(matches) { row in (try row.next(Int.self), try row.next(Int.self)) }
        guard let (read, total) = counts else { return DownloadCount(total: 0, isLowerBound: false) }
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
            let count = source.rows(upTo: limit + 1).enclosed("SELECT count(*) FROM (", ") AS s")
            let size = try database.first(count) { try $0.next(Int.self) }
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
    ) -> Statement {
        let rows = source.rows(upTo: nil)
        let conditions = group.conditions(of: "d.") + filter.conditions(without: source.terms) + fenceCondition
        return Statement("SELECT d.row, d.id, \(group.column.map { "d.\($0)" } ?? "NULL"), d.state FROM")
            + rows.enclosed("(", ") w {ordered} JOIN download d ON d.row = w.row \(readableClause)", readable.values)
            + .all(conditions + group.after(position, order, of: "d."))
            + Statement("\(group.orderClause(order, of: "d.")) LIMIT ?", [limit])
    }

    /// The next matches in the order of an index.
    private func walk(
        _ source: RowSource?,
        _ group: OrderGroup,
        after position: DownloadPosition?,
        limit: Int
    ) -> Statement {
        let walked = walked(source, group, after: position, limit: walkLength(group, limit))
        return walked.enclosed("SELECT w.row, w.id, w.key, d.state FROM (", ") w")
            + Statement("{ordered} JOIN download d ON d.row = w.row \(readableClause)", readable.values)
            + .all(remaining(source, group))
            + Statement("\(keptOrder(group, of: "w.")) LIMIT ?", [limit])
    }

    private func walked(
        _ source: RowSource?,
        _ group: OrderGroup,
        after position: DownloadPosition?,
        limit: Int
    ) -> Statement {
        if let index = group.index, let column = group.column {
            return Statement("SELECT row, id, \(column) AS key FROM download {index \(index)}")
                + .all(group.conditions() + filter.range(of: group) + group.after(position, order))
                + Statement("\(group.orderClause(order)) LIMIT ?", [limit])
        }
        return (source ?? groupSource(group)).walk(after: position, order, limit: limit)
    }

    /// The order of ``walked(_:_:after:limit:)``, which a statement around it keeps.
    private func keptOrder(_ group: OrderGroup, of table: String) -> String {
        let isByKey = group.index != nil && group.column != nil
        let direction = order.isDescending ? " DESC" : ""
        let columns = (isByKey ? ["key", "id"] : ["id"]).map { "\(table)\($0)\(direction)" }
        return "{keep ORDER BY \(columns.joined(separator: ", "))}"
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
    private func remaining(_ source: RowSource?, _ group: OrderGroup) -> [Statement] {
        if group.column != nil { return filter.conditions() + fenceCondition }
        // The states of a group are not those of the filter.
        let terms = source?.terms ?? groupSource(group).terms.subtracting([.states])
        return filter.conditions(without: terms) + group.conditions(of: "d.") + fenceCondition
    }

    private var fenceCondition: [Statement] { fence.map { [Statement("d.row < ?", [$0])] } ?? [] }

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
        let last = walked.enclosed(
            "SELECT row, id, key FROM (",
            ") AS s \(keptOrder(group, of: "")) LIMIT 1 OFFSET ?",
            [count - 1]
        )
        let position = try database.first(last) { try Self.position(of: &$0, in: number) }
        guard let position else { return nil }
        return try position ?? lastPosition(of: walked, in: number)
    }

    /// The position of the last row whose id can be read.
    private func lastPosition(of walked: Statement, in number: Int) throws -> DownloadPosition? {
        try database.all(walked) { try Self.position(of: &$0, in: number) }.compactMap(\.self).last
    }

    private var readableClause: String { readable.clause.replacing("AND id", with: "AND d.id") }

    // MARK: - Rows

    private func rows(_ statement: Statement, in group: Int) throws -> [Found] {
        try database.all(statement) { row -> Found in
            let (number, id) = (try row.next(Int64.self), try row.next(String.self))
            guard let position = Self.position(id, row.nextValue(), in: group) else {
                throw StoreError.unreadableDownloads([UnreadableDownload(id: id, reason: "'\(id)' in column id")])
            }
            let state = try row.next(String.self)
            return Found(row: number, position: position, state: DownloadState(rawValue: state))
        }
    }

    /// The position of a row of (row, id, key); nil if its id cannot be read.
    private static func position(of row: inout RowReader, in group: Int) throws -> DownloadPosition? {
        _ = try row.next(Int64.self)
        let id = try row.next(String.self)
        return position(id, row.nextValue(), in: group)
    }

    private static func position(_ text: String, _ value: SQLValue, in group: Int) -> DownloadPosition? {
        guard let id = DownloadID(text) else { return nil }
        let key: DownloadPosition.Key? =
            switch value {
            case .integer(let number): .number(number)
            case .text(let text): .text(text)
            case .null, .blob, .texts, .integers: nil
            }
        return DownloadPosition(group: group, key: key, id: id)
    }

    private func downloads(_ found: [Found]) throws -> [Download] {
        guard !found.isEmpty else { return [] }
        let read = try database.downloads(
            "SELECT \(Download.columnList) FROM download WHERE row {in ?}",
            [SQLValue.integers(found.map(\.row))]
        )
        let places = Dictionary(uniqueKeysWithValues: found.enumerated().map { ($1.position.id, $0) })
        return read.sorted { places[$0.id] ?? 0 < places[$1.id] ?? 0 }
    }
}
