public import Core
import Store
import Transfer

/// The reason why a request failed. Nothing was changed, except perhaps for ``outcomeUnknown``, and except for a
/// finished file that was removed before its record could be deleted.
public indirect enum ServiceError: Error, Hashable, Sendable {
    /// Members of the request are invalid.
    case invalid([Violation])
    /// The request is well formed, but cannot be executed, such as a deadline in the past.
    case unprocessable([Violation])
    /// The destination policy refuses the text of a URL.
    ///
    /// - `pointer`: the member with the URL.
    case destinationForbidden(DestinationReason, pointer: JSONPointer)
    case notFound
    case invalidTransition(InvalidTransition)
    /// The download cannot be retried, because another download, neither failed nor cancelled, has its dedupe key.
    case dedupeKeyTaken(by: DownloadID, DownloadState)
    /// The download with the dedupe key has a different file.
    case dedupeConflict(DedupeConflict)
    /// The download has another revision.
    case revisionMismatch(current: Int64)
    /// Members that cannot be changed in the download's state.
    case fieldLocked([String], DownloadState)
    /// The download has not ended, so it is not deleted without force.
    case notTerminal(DownloadState)
    /// This number of the session's downloads has not ended, so the session is not deleted.
    case sessionNotTerminal(open: Int)
    /// The session is sealed: it accepts no new downloads, and cannot be opened again.
    ///
    /// - `pointer`: the member that requests it.
    case sessionSealed(pointer: JSONPointer)
    /// The file is being published. A retry in a moment succeeds.
    case busy
    /// The idempotency key was used earlier with a different request.
    case idempotencyKeyReused
    case queueFull
    /// The expected size of the file exceeds the byte limit of the session.
    case quotaExceeded
    /// The bytes of the download exceed the byte limit of its new session.
    case sessionFull
    /// The download has not completed, so it has no file.
    case fileNotReady(DownloadState)
    /// The file was removed or replaced.
    case fileGone
    /// A completed download cannot be fetched again without these members, whose secrets were forgotten.
    case secretsForgotten([String])
    /// The folder of the finished file cannot be used now, for this reason.
    case rootUnavailable(String)
    /// Another file has the name that the finished file is to get.
    case fileExists(String)
    /// The finished file cannot be moved, for this reason.
    case fileNotMoved(String)
    /// The finished file cannot be removed, for this reason. Its record is kept.
    case fileNotRemoved(String)
    /// Clients cannot change this webhook: it belongs to the settings or to a callback URL.
    case webhookReadOnly(Webhook.Creator)
    /// The webhook is disabled, so nothing can be sent to it.
    case webhookDisabled
    /// The previous secret has not expired.
    case rotationInProgress(until: Timestamp)
    /// The maximum number of event streams is open, in total or for this caller.
    case tooManyStreams
    /// The service is about to stop.
    case draining
    /// A resource that every request needs is exhausted, such as connections to the database or file descriptors.
    case overloaded
    /// The disk is full.
    case insufficientStorage
    /// Only a restart can tell whether the change was committed.
    case outcomeUnknown
    /// This version cannot read the record of the download. The cause is for the log.
    case unreadable(cause: String)
    /// The service or the machine failed. The cause is for the log, not for the client.
    case `internal`(cause: String)
}

extension ServiceError {
    /// The error for whatever a call of the service throws: its own errors, and those of the store.
    public init(_ error: any Error) {
        switch error {
        case let error as ServiceError: self = error
        case let error as StoreError: self.init(error)
        case let refusal as DownloadRefusal: self.init(refusal)
        default: self = .internal(cause: "the store: \(error)")
        }
    }

    /// The error for a failure of the store.
    init(_ error: StoreError) {
        switch error {
        case .full: self = .insufficientStorage
        case .unavailable: self = .overloaded
        case .closed: self = .draining
        case .outcomeUnknown: self = .outcomeUnknown
        case .quotaExceeded: self = .quotaExceeded
        case .unreadableDownloads(let rows):
            self = .unreadable(cause: rows.map { "\($0.id): \($0.reason)" }.joined(separator: ", "))
        case .unknownSchema, .cannotOpen, .failed, .corrupt, .refused, .misuse, .unreadable:
            self = .internal(cause: "\(error)")
        }
    }

    /// The error for a refused change.
    init(_ refusal: DownloadRefusal) {
        switch refusal {
        case .notFound: self = .notFound
        case .invalidTransition(let transition): self = .invalidTransition(transition)
        case .dedupeKeyTaken(let holder, let state): self = .dedupeKeyTaken(by: holder, state)
        case .revisionMismatch(let download): self = .revisionMismatch(current: download.revision)
        case .locked(let members, let download): self = .fieldLocked(members, download.state)
        case .notTerminal(let download): self = .notTerminal(download.state)
        case .busy: self = .busy
        case .secretsForgotten(let members): self = .secretsForgotten(members)
        case .assignment(.quotaExceeded): self = .sessionFull
        case .assignment(let refusal): self.init(refusal)
        }
    }

    /// The error for a refused creation.
    public init(_ refusal: CreationRefusal) {
        switch refusal {
        case .queueFull: self = .queueFull
        case .quotaExceeded: self = .quotaExceeded
        case .sessionSealed: self = .sessionSealed(pointer: "/session")
        case .unknownWebhook(let index): self = .unknownWebhook(at: index)
        case .dedupeConflict(let conflict): self = .dedupeConflict(conflict)
        case .tooManyCallbacks:
            let detail = "The download with this dedupe_key has the maximum of callback URLs."
            self = .unprocessable([Violation("/callback_url", .malformed, detail)])
        }
    }

    /// - Parameter index: The index of the id in the member `webhook_ids`.
    static func unknownWebhook(at index: Int) -> Self {
        .unprocessable([Violation("/webhook_ids/\(index)", .malformed, "No webhook has this id.")])
    }

    /// The error if a finished file cannot be opened although it may exist.
    init(opening error: FilesUnavailable) {
        self = error.cause == .outOfDescriptors ? .overloaded : .internal(cause: "the finished file: \(error.message)")
    }
}

extension ServiceError: CustomStringConvertible {
    /// The error for the log: a part of a sentence. Clients get a problem with its members instead.
    public var description: String {
        switch self {
        case .internal(let cause), .unreadable(let cause), .rootUnavailable(let cause), .fileNotMoved(let cause),
            .fileNotRemoved(let cause):
            cause
        case .invalid(let violations), .unprocessable(let violations):
            violations.map { "\($0.pointer.text): \($0.detail)" }.joined(separator: " ")
        case .notFound: "there is no such record"
        case .busy: "the file is being published"
        case .queueFull: "the queue is full"
        case .draining: "the service stops"
        case .overloaded: "the database is locked, or the process has no descriptors left"
        case .insufficientStorage: "the disk is full"
        case .outcomeUnknown: "only a restart can tell whether the change was made"
        case .quotaExceeded, .sessionFull: "the session has no room for the bytes"
        case .fileGone: "the file was removed or replaced"
        case .fileExists: "another file has the name"
        case .destinationForbidden: "the destination is not allowed"
        case .invalidTransition, .dedupeKeyTaken, .dedupeConflict, .revisionMismatch, .fieldLocked, .notTerminal,
            .sessionNotTerminal, .sessionSealed, .idempotencyKeyReused, .fileNotReady, .secretsForgotten,
            .webhookReadOnly, .webhookDisabled, .rotationInProgress, .tooManyStreams:
            "the state of the record does not allow it"
        }
    }
}
