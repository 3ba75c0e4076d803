import Core
import Testing

@testable import Store

/// What every engine's statements do.
@Suite struct DatabaseTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private func read<Value>(_ body: (any StoreDatabase) throws -> Value) throws -> Value {
        try fixture.window.read(body)
    }

    @Test func aNumberedParameterIsUsedTwice() throws {
        let pair = try read {
            try $0.first("SELECT ?1 || ?2, ?2 || ?1", ["a", "b"]) { try [$0.next(String.self), $0.next()] }
        }

        #expect(pair == ["ab", "ba"])
    }

    @Test(arguments: [[], [1], [1, 2, 3]] as [[Int]])
    func anotherNumberOfValuesThanParametersIsAnError(_ values: [Int]) {
        #expect(throws: StoreError.self) { try read { try $0.first(Int.self, "SELECT ? + ?", values) } }
    }

    @Test(arguments: ["a", "it's", "\"", "\\", "\n", "\u{1F600}", ""])
    func aListHasEachOfItsElements(_ text: String) throws {
        let list = SQLValue.texts(["x", text, "y"])
        let found = try read {
            try $0.first("SELECT ?2 {in ?1}, 'z' {in ?1}", [list, text]) { try [$0.next(Bool.self), $0.next()] }
        }

        #expect(found == [true, false])
    }

    @Test func nothingIsInAnEmptyListAndEverythingIsNotInIt() throws {
        let none = SQLValue.integers([])
        let found = try read {
            try $0.first("SELECT 1 {in ?1}, 1 {not in ?1}", [none]) { try [$0.next(Bool.self), $0.next()] }
        }

        #expect(found == [false, true])
    }

    @Test func aNullIsNothingAndNoRowIsNothing() throws {
        #expect(try read { try $0.first(Int.self, "SELECT NULL") } == nil)
        #expect(try read { try $0.first(Int.self, "SELECT 1 WHERE 1 = 0") } == nil)
        #expect(try read { try $0.exists("SELECT NULL") })
        #expect(try read { try !$0.exists("SELECT 1 WHERE 1 = 0") })
    }

    /// Otherwise the inner one would end the outer one.
    @Test func aStatementIsRunAgainWhileItsRowsAreRead() throws {
        let sql = "SELECT 1 UNION ALL SELECT 2"
        let sums = try read { database in
            try database.all(sql) { row in
                let outer: Int = try row.next()
                return try database.all(Int.self, sql).map { outer * 10 + $0 }
            }
        }

        #expect(sums == [[11, 12], [21, 22]])
    }

    @Test func aWriteCountsItsRows() throws {
        try fixture.window.write { database in
            try database.execute("CREATE TABLE counted (x INTEGER)")
            #expect(try database.execute("INSERT INTO counted VALUES (1), (2), (3)") == 3)
            #expect(try database.execute("UPDATE counted SET x = 0 WHERE x > ?", [1]) == 2)
            #expect(try database.execute("DELETE FROM counted WHERE x = ?", [9]) == 0)
            return false
        }
    }

    @Test func aFailedSavepointTakesBackOnlyItsOwnWrites() throws {
        try fixture.window.write { database in
            try database.execute("INSERT INTO host (authority) VALUES ('a')")
            let failed = Result {
                try database.savepoint {
                    try database.execute("INSERT INTO host (authority) VALUES ('b')")
                    throw StoreError.quotaExceeded
                }
            }
            #expect(throws: StoreError.quotaExceeded) { try failed.get() }
            try database.savepoint { try database.execute("INSERT INTO host (authority) VALUES ('c')") }
            return true
        }

        #expect(try fixture.texts("SELECT authority FROM host ORDER BY authority") == ["a", "c"])
    }

    @Test func aTransactionThatIsNotCommittedWritesNothing() throws {
        try fixture.window.write { database in
            try database.execute("INSERT INTO host (authority) VALUES ('a')")
            return false
        }

        #expect(try fixture.count("host") == 0)
    }
}
