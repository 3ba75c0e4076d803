import Core

extension DownloadFilter {
    static let parameters = Condition.allCases.map(\.rawValue)
    /// The parameters that may occur several times, with one value each. Commas separate the values of other lists.
    static let repeatable = [Condition.label.rawValue]

    /// Parses the conditions among the parameters of a list.
    init(_ query: Query) throws(Problem) {
        self.init()
        for condition in Condition.allCases {
            let name = condition.rawValue
            let isDivided = condition.isList && !Self.repeatable.contains(name)
            for value in isDivided ? query.list(name) ?? [] : query.all(name) {
                do throws(InvalidCondition) {
                    try add(value, to: condition)
                } catch {
                    throw query.refusal(name, error.explanation, error.code)
                }
            }
        }
    }
}

extension DownloadOrder {
    init(_ query: Query) throws(Problem) {
        guard let word = query["sort"] else {
            self.init()
            return
        }
        guard let order = DownloadOrder(word) else {
            throw query.unknown("sort", word, of: Key.allCases.flatMap { [$0.rawValue, "-\($0.rawValue)"] })
        }
        self = order
    }
}

extension DownloadPosition {
    /// The text in a cursor.
    var text: String {
        let key =
            switch key {
            case nil: ""
            case .number(let number): " n\(number)"
            case .text(let text): " t\(text)"
            }
        return "\(group) \(id.text)\(key)"
    }

    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let group = Int(parts[0]), let id = DownloadID(String(parts[1])) else { return nil }
        guard parts.count == 3 else {
            self.init(group: group, id: id)
            return
        }
        switch parts[2].first {
        case "n":
            guard let number = Int64(parts[2].dropFirst()) else { return nil }
            self.init(group: group, key: .number(number), id: id)
        case "t": self.init(group: group, key: .text(String(parts[2].dropFirst())), id: id)
        default: return nil
        }
    }
}
