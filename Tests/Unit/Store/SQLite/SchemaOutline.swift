import GRDB

@testable import Store

/// The tables, indexes, conditions and triggers of a database as lines, in which the order of columns and the spaces of
/// the statements no longer differ.
struct SchemaOutline: Equatable, CustomStringConvertible {
    private(set) var lines: Set<String> = []

    init(of database: GRDB.Database) throws {
        let objects = try Row.fetchAll(
            database,
            sql: """
                SELECT type, name, tbl_name, sql FROM sqlite_master
                WHERE sql IS NOT NULL AND tbl_name <> 'grdb_migrations'
                """
        )
        for object in objects {
            let (name, sql): (String, String) = (object["name"], object["sql"])
            switch object["type"] as String {
            case "table": try addTable(name, sql, database)
            case "index": add("index", Self.normalized(sql))
            default: add("trigger", name)
            }
        }
    }

    var description: String { lines.sorted().joined(separator: "\n") }

    private mutating func add(_ words: String...) { lines.insert(words.joined(separator: " ")) }

    private mutating func addTable(_ name: String, _ sql: String, _ database: GRDB.Database) throws {
        for condition in Self.conditions(in: Self.normalized(sql)) { add(name, condition) }
        for (kind, query) in [
            ("table", "SELECT wr, strict FROM pragma_table_list WHERE name = ?"),
            ("column", #"SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)"#),
            ("reference", #"SELECT "from", "table", "to", on_update, on_delete FROM pragma_foreign_key_list(?)"#),
            (
                "unique",
                """
                SELECT group_concat(c.name) FROM pragma_index_list(?) AS i, pragma_index_info(i.name) AS c
                WHERE i.origin <> 'c' GROUP BY i.name
                """
            ),
            ("rows", "SELECT count(*) FROM \(name) WHERE ? IS NOT NULL"),
        ] {
            for row in try Row.fetchAll(database, sql: query, arguments: [name]) {
                add(name, kind, row.databaseValues.map { "\($0)" }.joined(separator: ", "))
            }
        }
    }

    /// Each CHECK, and the expression of each computed column.
    private static func conditions(in sql: String) -> [String] {
        ["CHECK", "AS"].flatMap { word in
            sql.ranges(of: "\(word) (").map { start in
                let text = sql[start.lowerBound...]
                return String(text[...end(of: text, from: text.firstIndex(of: "(")!)])
            }
        }
    }

    /// One space between words, and no parentheses around parentheses.
    private static func normalized(_ sql: String) -> String {
        var text = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for start in text.ranges(of: "((").map(\.lowerBound).reversed() {
            let inner = end(of: text[...], from: text.index(after: start))
            let outer = end(of: text[...], from: start)
            guard text.index(after: inner) == outer else { continue }
            text.remove(at: outer)
            text.remove(at: start)
        }
        return text
    }

    /// The parenthesis that closes the one at `start`.
    private static func end(of text: Substring, from start: String.Index) -> String.Index {
        var depth = 0
        let end = text[start...].indices.first { index in
            depth += text[index] == "(" ? 1 : text[index] == ")" ? -1 : 0
            return depth == 0
        }
        return end ?? text.endIndex
    }
}
