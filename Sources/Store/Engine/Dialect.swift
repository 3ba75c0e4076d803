/// The words of SQL that differ between databases. Everything else of a text is the same for all of them.
///
/// | In a text | Meaning |
/// | --- | --- |
/// | `{index NAME}` | after a table: the index to use. Without statistics SQLite might sort a whole table |
/// | `{ordered} JOIN` | a join that reads the table on the left first. It is for speed, and promises no order |
/// | `{keep ORDER BY …}` | the order of the subquery that is read. SQLite keeps it, and would sort once more if told |
/// | `A {is not} B` | are different, where NULL is equal to NULL |
/// | `{in ?}` | after an expression: is equal to an element of a list (``SQLValue/texts(_:)``) |
/// | `{not in ?}` | after an expression: is equal to no element of a list |
/// | `{greatest}(A, B)` | the greater value |
/// | `{position}(A, B)` | the position of text B in text A, from 1; 0 if it is not there |
///
/// These are only in the texts of ``Schema``:
///
/// | In a text | Meaning |
/// | --- | --- |
/// | `{text}`, `{integer}`, `{blob}` | the type of a column. Texts are compared byte by byte, an integer has 64 bits |
/// | `{flag}` | the type of a column that is 0 or 1: an integer, as texts compare it with numbers |
/// | `{key}` | the type of a primary key whose numbers the database gives in the order of insertion |
/// | `GENERATED ALWAYS AS (A) {computed}` | a column whose value the database computes from others |
/// | `{number}(CONDITION)` | the condition as a flag |
/// | `CREATE TABLE … {by row}` | the table is stored in the order of insertion |
/// | `CREATE TABLE … {by key}` | the table is stored in the order of its primary key |
struct Dialect: Sendable {
    /// The text in place of a word in braces; nil if there is no such word.
    let word: @Sendable (Substring) -> String?

    /// A text with the words of this dialect.
    ///
    /// - Throws: ``StoreError/misuse(_:)`` for an unknown word.
    func translate(_ sql: String) throws -> String {
        var translated = ""
        var rest = sql[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}"), let word = word(rest[rest.index(after: open)..<close])
            else { throw StoreError.misuse("an unknown word in \(sql)") }
            translated += rest[..<open] + word
            rest = rest[rest.index(after: close)...]
        }
        return translated + rest
    }
}
