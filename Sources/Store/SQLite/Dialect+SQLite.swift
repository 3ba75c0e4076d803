extension Dialect {
    /// The words of SQLite (<https://www.sqlite.org/lang.html>). A list is a JSON text.
    static let sqlite = Self { word in
        if word.hasPrefix("keep ORDER BY ") { return "" }
        let parts = word.split(separator: " ")
        return switch (parts.dropLast().joined(separator: " "), parts.last ?? "") {
        case ("index", let name): "INDEXED BY \(name)"
        case ("is", "not"): "IS NOT"
        case ("in", let parameter): "IN (SELECT value FROM json_each(\(parameter)))"
        case ("not in", let parameter): "NOT IN (SELECT value FROM json_each(\(parameter)))"
        case ("", "ordered"): "CROSS"
        case ("", "greatest"): "max"
        case ("", "position"): "instr"
        case ("", let last): schemaWord(last)
        case ("by", "row"): "STRICT"
        case ("by", "key"): "STRICT, WITHOUT ROWID"
        default: nil
        }
    }

    private static func schemaWord(_ word: Substring) -> String? {
        switch word {
        case "text": "TEXT"
        case "integer", "flag": "INTEGER"
        case "blob": "BLOB"
        case "key": "INTEGER PRIMARY KEY"
        case "computed": "VIRTUAL"
        case "number": ""
        default: nil
        }
    }
}
