/// An SQL text and the values of its parameters.
///
/// The text is the same for every engine. A parameter is `?`, or `?1`, `?2`… where a value is used twice. Its type is
/// that of its value: an integer has 64 bits, whatever it is added to. The few words that differ between databases are
/// those of ``Dialect``.
struct Statement {
    var sql: String
    var values: [SQLValue]

    init(_ sql: String, _ values: [any ParameterValue] = []) {
        self.sql = sql
        self.values = values.map(\.sqlValue)
    }

    private init(sql: String, values: [SQLValue]) {
        (self.sql, self.values) = (sql, values)
    }

    static func + (left: Self, right: Self) -> Self {
        Self(sql: left.sql + " " + right.sql, values: left.values + right.values)
    }

    /// The statement as a table in FROM, between two texts.
    func enclosed(_ before: String, _ after: String, _ values: [any ParameterValue] = []) -> Self {
        Self(sql: before + sql + after, values: self.values + values.map(\.sqlValue))
    }

    /// All conditions joined by AND, after the word; empty if there are none.
    static func all(_ conditions: [Self], after word: String = "WHERE") -> Self {
        guard !conditions.isEmpty else { return Self("") }
        let joined = conditions.joined(by: "AND")
        return Self(sql: "\(word) \(joined.sql)", values: joined.values)
    }
}

extension [Statement] {
    /// The statements with a word between each two, such as UNION ALL.
    func joined(by word: String) -> Statement {
        guard var joined = first else { return Statement("") }
        for next in dropFirst() { joined = joined + Statement(word) + next }
        return joined
    }
}

/// What a parameter of a statement can be.
protocol ParameterValue {
    var sqlValue: SQLValue { get }
}

/// A value of a parameter, in one of the forms that every database has.
enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
    /// The elements of a list. No column holds one.
    case texts([String])
    case integers([Int64])
}

extension SQLValue: ParameterValue {
    var sqlValue: SQLValue { self }
}
