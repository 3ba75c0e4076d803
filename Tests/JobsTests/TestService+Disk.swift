import Linux
import ServiceSupport
@testable import Store
import TestSupport

extension TestService {
    /// The names of the part files.
    var parts: [String] {
        get throws { try Directory(path: folder("parts")).entries().sorted() }
    }

    /// The names in the downloads folder.
    var files: [String] {
        get throws { try Directory(path: folder("downloads")).entries().sorted() }
    }
}

extension Store {
    /// Runs a statement on the connection that writes, to make it fail as a test wants.
    func execute(_ statement: String) async throws {
        try await writer.write { try $0.execute(statement, []) }
    }

    /// Makes each change of a download need more room than the database may take.
    func fillDisk() async throws {
        try await execute("CREATE TABLE filler (bytes BLOB)")
        try await execute(
            """
            CREATE TEMP TRIGGER fills AFTER UPDATE ON main.download
            BEGIN INSERT INTO filler VALUES (randomblob(1048576)); END
            """
        )
        try await execute("PRAGMA main.max_page_count = 1")
    }

    func emptyDisk() async throws {
        try await execute("DROP TRIGGER temp.fills")
        try await execute("PRAGMA main.max_page_count = 1000000")
    }
}
