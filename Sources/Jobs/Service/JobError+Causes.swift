import Linux
public import Model
import Store

extension JobError {
    /// What a failure of the store means to a caller.
    init(_ error: StoreError) {
        switch error {
        case .full: self = .insufficientStorage
        case .busy: self = .overloaded
        case .closed: self = .draining
        case .outcomeUnknown: self = .outcomeUnknown
        case .quotaExceeded: self = .quotaExceeded
        case .unreadableDownloads(let rows):
            self = .unreadable(cause: rows.map { "\($0.id): \($0.reason)" }.joined(separator: ", "))
        case .newerSchema, .cannotOpen, .failed, .corrupt, .refused, .misuse, .unreadable:
            self = .internal(cause: "\(error)")
        }
    }

    /// Why a download is not made now.
    public init(_ refusal: CreationRefusal) {
        switch refusal {
        case .queueFull: self = .queueFull
        case .quotaExceeded: self = .quotaExceeded
        case .sessionSealed: self = .sessionSealed(pointer: "/session")
        case .unknownWebhook(let index): self = .unknownWebhook(at: index)
        case .dedupeConflict(let conflict): self = .dedupeConflict(conflict)
        case .tooManyCallbacks:
            let detail = "The download with this dedupe_key tells as many others as it may."
            self = .unprocessable([Violation(pointer: "/callback_url", detail: detail)])
        }
    }

    /// - Parameter index: The place of the id in the member `webhook_ids`.
    static func unknownWebhook(at index: Int) -> Self {
        .unprocessable([Violation(pointer: "/webhook_ids/\(index)", detail: "There is no such webhook.")])
    }

    /// Why a finished file that may well be there cannot be opened.
    init(opening error: SystemError) {
        self = error.isOutOfDescriptors ? .overloaded : .internal(cause: "the finished file: \(error.message)")
    }
}

/// Runs a call of the store, and says what its failure means to a caller.
public func stored<Value>(_ body: () async throws -> Value) async throws(JobError) -> Value {
    do {
        return try await body()
    } catch let error as StoreError {
        throw JobError(error)
    } catch {
        throw .internal(cause: "the store: \(error)")
    }
}
