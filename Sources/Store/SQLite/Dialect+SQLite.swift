extension Dialect {
    /// The words of SQLite (<https://www.sqlite.org/lang.html>). A list is a JSON text.
    static let sqlite = Self { word in
        let parts = word.split(separator: " ")
        return switch (parts.dropLast().joined(separator: " "), parts.last ?? "") {
        case ("index", let name): "INDEXED BY \(name)"
        case ("", "is"): "IS"
        case ("is", "not"): "IS NOT"
        case ("in", let parameter): "IN (SELECT value FROM json_each(\(parameter)))"
        case ("not in", let parameter): "NOT IN (SELECT value FROM json_each(\(parameter)))"
        case ("", "ordered"): "CROSS"
        case ("", "greatest"): "max"
        case ("", "least"): "min"
        case ("", "position"): "instr"
        default: nil
        }
    }
}
