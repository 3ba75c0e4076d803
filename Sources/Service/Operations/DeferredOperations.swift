import Core
import Store
import Synchronization

/// A step of an operation failed and is tried again later.
struct StepDeferred: Error {
    let operation: OperationID
    let cause: any Error
}

/// The operations whose last step failed, with the reason. They are tried again after a while, and others go on
/// meanwhile.
///
/// It is not stored: a restart tries each operation at once.
final class DeferredOperations: Sendable {
    private struct Entry {
        let reason: String
        let until: Timestamp
    }

    private let entries = Mutex<[OperationID: Entry]>([:])

    /// The delay after a failed step.
    static let delay = Duration.seconds(30)

    /// Why the operation waits; nil if it does not.
    func reason(_ id: OperationID) -> String? { entries.withLock { $0[id]?.reason } }

    /// The operations that are not due at `now`.
    func waiting(at now: Timestamp) -> Set<OperationID> {
        entries.withLock { entries in
            Set(entries.filter { $0.value.until.isAhead(of: now, within: Self.delay) }.keys)
        }
    }

    /// Whether there is an operation to try again later.
    var isEmpty: Bool { entries.withLock { $0.isEmpty } }

    func add(_ id: OperationID, because error: any Error, at now: Timestamp) {
        let reason = "Its last step failed and is tried again: \(Self.explanation(error))."
        entries.withLock { $0[id] = Entry(reason: reason, until: now + Self.delay) }
    }

    func remove(_ id: OperationID) { entries.withLock { $0[id] = nil } }

    private static func explanation(_ error: any Error) -> String {
        switch error {
        case StoreError.full, ServiceError.insufficientStorage: "the disk of the database is full"
        case StoreError.failed(let detail): "the database failed: \(detail)"
        case let error as StoreError where error.isTemporary: "\(error)"
        default: "\(error)"
        }
    }
}
