import Core
import Testing

@testable import Store

/// What every engine does with the rows of a batch.
@Suite struct RowBatchTests {
    let fixture: Fixture

    init() throws {
        fixture = try Fixture()
    }

    private static let insertion = RowBatch.insertion(into: "thing", ["name", "size"])
    private static let replacement = RowBatch.insertionOrUpdate(of: "thing", ["name", "size"], key: ["name"])
    private static let update = RowBatch.update(of: "thing", ["size"], key: ["name", "kind"])

    /// Runs `body` with an empty table, and returns the rows that it wrote.
    private func rows(_ body: (any StoreDatabase) throws -> Void) throws -> [String] {
        var rows: [String] = []
        try fixture.window.write { database in
            try database.execute(
                "CREATE TABLE thing (name text NOT NULL PRIMARY KEY, size integer, kind text NOT NULL DEFAULT 'new')"
            )
            try body(database)
            rows = try database.all(
                String.self,
                "SELECT name || ' ' || coalesce(CAST(size AS text), 'NULL') FROM thing ORDER BY name"
            )
            return false
        }
        return rows
    }

    private func insert(_ name: String, _ size: Int?, _ database: any StoreDatabase, by batch: RowBatch) throws {
        try database.write(batch) { row in
            row.add(name)
            row.add(size)
        }
    }

    @Test func aReadSeesTheRowsWrittenBefore() throws {
        let rows = try rows { database in
            try insert("b", 2, database, by: Self.insertion)
            try insert("a", nil, database, by: Self.insertion)
            #expect(try database.first(Int.self, "SELECT count(*) FROM thing") == 2)
            try insert("c", 3, database, by: Self.insertion)
        }

        #expect(rows == ["a NULL", "b 2", "c 3"])
    }

    @Test func aRowWithAUsedKeyIsRefused() throws {
        #expect(throws: StoreError.self) {
            try rows { database in
                try insert("a", 1, database, by: Self.insertion)
                try insert("a", 2, database, by: Self.insertion)
                _ = try database.exists("SELECT 1 FROM thing")
            }
        }
    }

    @Test func aRowReplacesTheOtherColumnsOfOneWithItsKey() throws {
        let rows = try rows { database in
            try insert("a", 1, database, by: Self.replacement)
            try insert("b", 2, database, by: Self.replacement)
            try insert("a", 3, database, by: Self.replacement)
        }

        #expect(rows == ["a 3", "b 2"])
    }

    @Test func aChangeIsForTheRowWithItsWholeKey() throws {
        let rows = try rows { database in
            try insert("a", 1, database, by: Self.insertion)
            try insert("b", 2, database, by: Self.insertion)
            try database.write(Self.update) { row in
                row.add(7)
                row.add("b")
                row.add("new")
            }
        }

        #expect(rows == ["a 1", "b 7"])
    }

    /// Otherwise the change would be lost without an error.
    @Test func aChangeOfAMissingRowIsRefused() throws {
        #expect(throws: StoreError.self) {
            try rows { database in
                try insert("a", 1, database, by: Self.insertion)
                try database.write(Self.update) { row in
                    row.add(7)
                    row.add("a")
                    row.add("old")
                }
                _ = try database.exists("SELECT 1 FROM thing")
            }
        }
    }
}
