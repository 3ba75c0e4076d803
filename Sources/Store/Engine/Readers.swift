import Dispatch
import GRDB
import Synchronization

/// Connections that only read, each on a thread of its own; a read takes the next one in turn.
final class Readers: Sendable {
    private struct Reader: Sendable {
        let queue: DatabaseQueue
        let thread: DispatchQueue
    }

    private let readers: [Reader]
    private let turn = Atomic<Int>(0)

    init(queues: [DatabaseQueue]) {
        readers = queues.map { Reader(queue: $0, thread: DispatchQueue(label: "cormorant.store.read")) }
    }

    /// Runs `body` on a snapshot of its own for each statement.
    ///
    /// A single statement sees one commit. What needs two of them to agree asks ``readSnapshot(_:)``.
    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        let reader = readers[turn.wrappingAdd(1, ordering: .relaxed).oldValue & Int.max % readers.count]
        return try await withCheckedThrowingContinuation { continuation in
            reader.thread.async {
                continuation.resume(with: Result { try reader.queue.unsafeRead(body) })
            }
        }
    }

    /// Runs `body` on one snapshot.
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
}
