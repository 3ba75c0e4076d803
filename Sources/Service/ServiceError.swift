public import Core
import Linux
import Store

/// Why a caller did not get what it asked for. Nothing was changed, but for ``outcomeUnknown``, and for a file
/// that was to be deleted and went before its record could.
public indirect enum ServiceError: Error, Hashable, Sendable {
    /// Members of the request that are not what they should be.
    case invalid([Violation])
    /// Well formed, but not to be carried out: a deadline in the past.
    case unprocessable([Violation])
    /// The destination policy refuses the URL by its text.
    ///
    /// - `pointer`: the member that names it.
    case destinationForbidden(DestinationReason, pointer: JSONPointer)
    case notFound
    case invalidTransition(InvalidTransition)
    /// It is not retried while another download, which has not failed or been cancelled, has its dedupe key.
    case dedupeKeyTaken(by: DownloadID, DownloadState)
    /// The download that has the dedupe key is of another file.
    case dedupeConflict(DedupeConflict)
    /// The download has another revision by now.
    case revisionMismatch(current: Int64)
    /// Members that cannot be changed in the download's state.
    case fieldLocked([String], DownloadState)
    /// It has not ended, so it is not deleted without force.
    case notTerminal(DownloadState)
    /// So many downloads of the session have not ended, so it is not deleted.
    case sessionNotTerminal(open: Int)
    /// The session takes no new downloads, and is not opened to them again.
    ///
    /// - `pointer`: the member that asks for it.
    case sessionSealed(pointer: JSONPointer)
    /// It is being moved to its place; a moment later it can be answered.
    case busy
    /// The idempotency key came before, with another request.
    case idempotencyKeyReused
    case queueFull
    /// The session has no room for a file of the size that is expected.
    case quotaExceeded
    /// The file of a download that has not completed.
    case fileNotReady(DownloadState)
    /// The file was removed or replaced.
    case fileGone
    /// The finished file cannot be removed, for this reason; its record stays too.
    case fileNotRemoved(String)
    /// A webhook that is not a client's to change: it is the settings', or a callback URL's.
    case webhookReadOnly(Webhook.Creator)
    /// The webhook is disabled, so nothing can be sent to it.
    case webhookDisabled
    /// The secret before the present one has not expired.
    case rotationInProgress(until: Timestamp)
    /// As many streams of events are open as may be, in all or of this caller.
    case tooManyStreams
    /// The service is about to stop.
    case draining
    /// Something that every request needs is in use now: the database, or the last file descriptor.
    case overloaded
    /// The disk is full.
    case insufficientStorage
    /// Whether it happened is known after a restart only.
    case outcomeUnknown
    /// The record of the download cannot be read by this version; the cause is for the log.
    case unreadable(cause: String)
    /// A failure of the service or its machine. The cause is for the log, not for the client.
    case `internal`(cause: String)
}

extension ServiceError {
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
            let detail = "The download with this dedupe_key has the maximum of callback URLs."
            self = .unprocessable([Violation("/callback_url", .malformed, detail)])
        }
    }

    /// - Parameter index: The place of the id in the member `webhook_ids`.
    static func unknownWebhook(at index: Int) -> Self {
        .unprocessable([Violation("/webhook_ids/\(index)", .malformed, "No webhook has this id.")])
    }

    /// Why a finished file that may well be there cannot be opened.
    init(opening error: SystemError) {
        self = error.isOutOfDescriptors ? .overloaded : .internal(cause: "the finished file: \(error.message)")
    }
}

/// Runs a call of the store, and maps its errors to those of the service.
public func mappingStoreErrors<Value>(_ body: () async throws -> Value) async throws(ServiceError) -> Value {
    do {
        return try await body()
    } catch let error as StoreError {
        throw ServiceError(error)
    } catch let error as ServiceError {
        // A rule of the service that was applied inside the transaction.
        throw error
    } catch {
        throw .internal(cause: "the store: \(error)")
    }
}
