import Dispatch
import GRDB
import Synchronization

/// A pool of read-only connections. If none is idle, a read waits, but not on the caller's thread.
final class Readers: Sendable {
    private let idle: Mutex<[DatabaseQueue]>
    private let available: DispatchSemaphore
    /// Called when the database is damaged.
    private let recordDamage: @Sendable (StoreError) -> Void
    private let thread = DispatchQueue(label: "cormorant.store.read", attributes: .concurrent)

    init(queues: [DatabaseQueue], recordDamage: @escaping @Sendable (StoreError) -> Void) {
        self.recordDamage = recordDamage
        idle = Mutex(queues)
        available = DispatchSemaphore(value: queues.count)
    }

    /// Runs `body`. Each statement sees one commit, but two statements may see different ones: use ``readSnapshot(_:)``
    /// where they must agree.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            thread.async {
                self.available.wait()
                continuation.resume(with: Result { try self.borrow(body) })
            }
        }
    }

    /// Runs `body`, which looks up a row by its key, on the caller's own thread if a connection is idle. The lookup
    /// takes a few microseconds; a switch to another thread and back takes ten times as long.
    func lookUp<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        guard available.wait(timeout: .now()) == .success else { return try await read(body) }
        return try borrow(body)
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

    /// - Precondition: The caller has passed the semaphore, so a connection is idle.
    /// - Throws: ``StoreError`` for an error of SQLite.
    private func borrow<Value>(_ body: (Database) throws -> Value) throws -> Value {
        guard let connection = idle.withLock({ $0.popLast() }) else { preconditionFailure("no connection is idle") }
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
