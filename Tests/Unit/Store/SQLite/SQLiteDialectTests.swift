import Testing

@testable import Store

@Suite struct SQLiteDialectTests {
    @Test(arguments: [
        ("FROM a {index b} WHERE", "FROM a INDEXED BY b WHERE"),
        ("a {in ?} OR b {in ?2}", "a IN (SELECT value FROM json_each(?)) OR b IN (SELECT value FROM json_each(?2))"),
        ("a {not in ?}", "a NOT IN (SELECT value FROM json_each(?))"),
        ("b {is not} 'c'", "b IS NOT 'c'"),
        ("{greatest}(a, 1)", "max(a, 1)"),
        ("SELECT a FROM (b) s {keep ORDER BY a DESC, id DESC} LIMIT 1", "SELECT a FROM (b) s  LIMIT 1"),
        ("{position}(a, ?)", "instr(a, ?)"),
        ("a {ordered} JOIN b", "a CROSS JOIN b"),
        ("a {text}, b {integer}, c {flag}, d {blob}", "a TEXT, b INTEGER, c INTEGER, d BLOB"),
        ("a {key}", "a INTEGER PRIMARY KEY"),
        ("AS (a) {computed}", "AS (a) VIRTUAL"),
        ("a = {number}(b IS NULL)", "a = (b IS NULL)"),
        ("(a) {by row}", "(a) STRICT"),
        ("(a) {by key}", "(a) STRICT, WITHOUT ROWID"),
        ("SELECT 1", "SELECT 1"),
    ])
    func eachWordHasItsTextOfSQLite(_ text: String, _ expected: String) throws {
        #expect(try Dialect.sqlite.translate(text) == expected)
    }

    @Test(arguments: ["{largest}(a, b)", "{index}", "{in}", "a {is", "{}"])
    func anUnknownWordIsAnError(_ text: String) {
        #expect(throws: StoreError.self) { try Dialect.sqlite.translate(text) }
    }
}
