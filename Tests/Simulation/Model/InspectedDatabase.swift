import GRDB
import StoreSupport

/// A second connection to a store's database, which looks behind the store.
struct InspectedDatabase: QuerySource {
    private let queue: DatabaseQueue

    init(path: String) throws { queue = try DatabaseQueue(path: path) }

    func rows(_ query: String, columns: Int) throws -> [[String?]] {
        try queue.read { database in
            try Row.fetchAll(database, sql: query).map { row in
                (0..<columns).map { column in
                    let value: DatabaseValue = row[column]
                    switch value.storage {
                    case .null: return nil
                    case .int64(let number): return String(number)
                    case .double(let number): return String(number)
                    case .string(let text): return text
                    case .blob(let bytes): return String(decoding: bytes, as: UTF8.self)
                    }
                }
            }
        }
    }

    func execute(_ statement: String) throws { try queue.write { try $0.execute(sql: statement) } }

    func close() throws { try queue.close() }
}
