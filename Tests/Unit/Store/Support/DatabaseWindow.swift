import StoreSupport

@testable import Store

/// A second connection to a store's database. It looks behind the store, and changes what the store does not expect.
///
/// Every engine has one, so the tests that use nothing else of an engine hold for all of them.
final class DatabaseWindow: Sendable {
    private let connection: SQLiteConnection

    init(path: String) throws {
        connection = try SQLiteConnection.openWriter(path: path) { _ in }
    }

    func read<Value>(_ body: (any Database) throws -> Value) throws -> Value { try connection.read(body) }

    /// - Parameter body: Returns whether to commit.
    func write(_ body: (any Database) throws -> Bool) throws { try connection.write(body) }

    func close() throws { try connection.close() }

    /// A connection like those that the store reads with.
    static func openReader(path: String) throws -> any ReadingConnection {
        try SQLiteConnection.openReader(path: path)
    }
}

extension DatabaseWindow: QuerySource {
    func rows(_ query: String, columns: Int) throws -> [[String?]] {
        try read { database in
            try database.all(query) { (row: inout RowReader) -> [String?] in
                (0..<columns).map { _ in row.nextValue().text }
            }
        }
    }
}

extension SQLValue {
    /// The value as a text; nil for NULL.
    fileprivate var text: String? {
        switch self {
        case .null, .texts, .integers: nil
        case .integer(let number): String(number)
        case .text(let text): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }
}

/// The name of `Database` where GRDB, which has a type of that name, is imported too.
typealias StoreDatabase = Database
