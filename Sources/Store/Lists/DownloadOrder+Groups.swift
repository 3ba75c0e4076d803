import Core

/// A group of downloads that are adjacent in an order and ordered by one index.
struct OrderGroup {
    /// The column by which the group is ordered; nil for the id.
    let column: String?
    /// The index of (column, id) that contains the group.
    var index: String?
    /// The condition for downloads of the group. `{}` stands for the table.
    var condition: String?
    /// The states whose index entries contain the group, in the order of ids.
    var states: [DownloadState] = []
}

extension DownloadOrder {
    /// The groups, in their order. Downloads without a value come last in both directions.
    var groups: [OrderGroup] {
        switch key {
        case .createdAt: [OrderGroup(column: nil)]
        case .name: [OrderGroup(column: "name_key", index: "download_by_name")]
        case .finishedAt:
            [
                OrderGroup(column: "finished_at", index: "download_by_end", condition: "{}finished_at IS NOT NULL"),
                OrderGroup(
                    column: nil,
                    condition: "{}finished_at IS NULL",
                    states: DownloadState.allCases.filter { !$0.isTerminal }
                ),
            ]
        case .size:
            [
                OrderGroup(column: "total_bytes", index: "download_by_size", condition: "{}total_bytes IS NOT NULL"),
                OrderGroup(column: nil, condition: "{}total_bytes IS NULL"),
            ]
        case .priority: isDescending ? Self.priorities : Self.priorities.reversed()
        }
    }

    /// The index leaves out the default priority. SQLite uses a partial index only if the query repeats its condition.
    private static let priorities = [
        priorityGroup("{}priority <> 0 AND {}priority > 0"),
        OrderGroup(column: nil, condition: "{}priority = 0"),
        priorityGroup("{}priority <> 0 AND {}priority < 0"),
    ]

    private static func priorityGroup(_ condition: String) -> OrderGroup {
        OrderGroup(column: "priority", index: "download_by_priority", condition: condition)
    }
}

extension OrderGroup {
    /// Whether a filter can select downloads of the group. Only downloads that have ended have a `finished_at`.
    func canHave(_ filter: DownloadFilter) -> Bool {
        let isAny = filter.states.isEmpty
        if column == "finished_at" { return isAny || filter.states.contains(where: \.isTerminal) }
        guard !states.isEmpty else { return true }
        return filter.finished.isUnlimited && (isAny || !filter.states.allSatisfy(\.isTerminal))
    }
}

extension OrderGroup {
    /// The rows after a position.
    func after(_ position: DownloadPosition?, _ order: DownloadOrder, of table: String = "") -> [Statement] {
        guard let position else { return [] }
        let sign = order.isDescending ? "<" : ">"
        guard let column, let key = position.key else {
            return [Statement("\(table)id \(sign) ?", [position.id])]
        }
        let value: any ParameterValue =
            switch key {
            case .number(let number): number
            case .text(let text): text
            }
        return [Statement("(\(table)\(column), \(table)id) \(sign) (?, ?)", [value, position.id])]
    }

    func orderClause(_ order: DownloadOrder, of table: String = "") -> String {
        let direction = order.isDescending ? " DESC" : ""
        return "ORDER BY "
            + [column, "id"].compactMap(\.self).map { "\(table)\($0)\(direction)" }
            .joined(separator: ", ")
    }

    func conditions(of table: String = "") -> [Statement] {
        condition.map { [Statement($0.replacing("{}", with: table))] } ?? []
    }
}
