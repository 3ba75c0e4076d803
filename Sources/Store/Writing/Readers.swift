import Dispatch
import GRDB
import Synchronization

/// A pool of read-only connections. If none is idle, a read waits, but not on the caller's thread.
final class Readers: Sendable {
    /// The most connections. A list with a rare filter uses one for some milliseconds, and several such lists must
    /// leave one for the short queries of others.
    private static let limit = 4

    private let idle: Mutex<[DatabaseQueue]>
    /// Counts the idle connections, and those that are not open yet.
    private let available = DispatchSemaphore(value: Readers.limit)
    /// Opens one more connection. Each takes about half a MiB, so it is opened when it is first needed.
    private let open: @Sendable () throws -> DatabaseQueue
    /// Called when the database is damaged.
    private let recordDamage: @Sendable (StoreError) -> Void
    private let thread = DispatchQueue(label: "cormorant.store.read", attributes: .concurrent)

    /// - Parameter first: The connection that is never missing, even if no other one can be opened.
    init(
        first: DatabaseQueue,
        open: @escaping @Sendable () throws -> DatabaseQueue,
        recordDamage: @escaping @Sendable (StoreError) -> Void
    ) {
        idle = Mutex([first])
        self.open = open
        self.recordDamage = recordDamage
    }

    /// Runs `body`. Each statement sees one commit, but two statements may see different ones: use ``readSnapshot(_:)``
    /// where they must agree.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            thread.async {
                continuation.resume(with: Result { try self.use(self.waitForConnection(), body) })
            }
        }
    }

    /// Runs `body`, which looks up a row by its key, on the caller's own thread if a connection is idle. The lookup
    /// takes a few microseconds; a switch to another thread and back takes ten times as long.
    func lookUp<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        guard available.wait(timeout: .now()) == .success, let connection = takeConnection() else {
            return try await read(body)
        }
        return try use(connection, body)
    }

    /// Runs `body` on one snapshot of the database.
    func readSnapshot<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await read { database in
            var value: Value?
            try database.inTransaction(.deferred) {
                value = try body(database)
                return .commit
            }
            guard let value else { preconditionFailure("a transaction ended without its body") }
            return value
        }
    }

    /// Blocks until a connection is idle.
    private func waitForConnection() -> DatabaseQueue {
        while true {
            available.wait()
            if let connection = takeConnection() { return connection }
        }
    }

    /// - Precondition: The caller has passed the semaphore.
    /// - Returns: nil if another connection cannot be opened, for example because the process has no more descriptors.
    ///   From then on there is one less.
    private func takeConnection() -> DatabaseQueue? {
        idle.withLock { $0.popLast() } ?? (try? open())
    }

    /// - Throws: ``StoreError`` for an error of SQLite.
    private func use<Value>(_ connection: DatabaseQueue, _ body: (Database) throws -> Value) throws -> Value {
        defer {
            idle.withLock { $0.append(connection) }
            available.signal()
        }
        do {
            return try connection.unsafeRead(body)
        } catch let error as DatabaseError {
            let failure = StoreError(error)
            if failure.endsService { recordDamage(failure) }
            throw failure
        }
    }
}

/// An SQL condition that excludes unreadable rows of `download`. If there are none, it is empty, so that it costs
/// nothing and changes no query plan.
struct RowFilter: Sendable {
    /// Follows another condition of `WHERE`.
    let clause: String
    private let list: String?

    init(without ids: Set<String>) {
        guard !ids.isEmpty else {
            (clause, list) = ("", nil)
            return
        }
        clause = "AND id NOT IN (SELECT value FROM json_each(:unreadable))"
        list = "[\(ids.map(Self.quoted).joined(separator: ","))]"
    }

    /// `arguments` of a statement plus the argument of ``clause``. The statement must not number its parameters.
    func arguments(_ arguments: StatementArguments) -> StatementArguments {
        var arguments = arguments
        if let list { arguments += ["unreadable": list] }
        return arguments
    }

    /// A JSON string (RFC 8259, section 7).
    private static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            guard scalar.value < 0x20 || scalar == "\"" || scalar == "\\" else { return String(scalar) }
            let hex = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        }
        return "\"\(escaped.joined())\""
    }
}
