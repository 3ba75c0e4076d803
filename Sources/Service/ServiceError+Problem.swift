public import Core

/// The parts of an error that clients see.
extension ServiceError {
    /// The kind of problem. The HTTP status follows from it (``ProblemType/status``).
    public var type: ProblemType {
        switch self {
        case .invalid: .invalidRequest
        case .unprocessable, .secretsForgotten: .unprocessable
        case .destinationForbidden: .destinationForbidden
        case .notFound: .notFound
        case .invalidTransition: .invalidTransition
        case .dedupeKeyTaken: .dedupeKeyTaken
        case .dedupeConflict: .dedupeConflict
        case .revisionMismatch: .revisionMismatch
        case .fieldLocked: .fieldLocked
        case .notTerminal, .sessionNotTerminal: .notTerminal
        case .sessionSealed: .sessionSealed
        case .busy: .busy
        case .idempotencyKeyReused: .idempotencyKeyReused
        case .queueFull: .queueFull
        case .quotaExceeded, .sessionFull: .quotaExceeded
        case .fileNotReady: .fileNotReady
        case .fileGone: .fileGone
        case .fileExists: .fileExists
        case .webhookReadOnly: .webhookReadOnly
        case .webhookDisabled: .webhookDisabled
        case .rotationInProgress: .rotationInProgress
        case .tooManyStreams: .tooManyStreams
        case .draining: .draining
        case .overloaded: .overloaded
        case .insufficientStorage: .insufficientStorage
        case .outcomeUnknown: .outcomeUnknown
        case .rootUnavailable: .rootUnavailable
        case .fileNotMoved, .fileNotRemoved, .unreadable, .internal: .internalError
        }
    }

    /// A sentence for people, without secrets; nil if the problem's title is enough.
    public var detail: String? {
        switch self {
        case .invalid: "The request has invalid members."
        case .unprocessable: "The request cannot be carried out."
        case .destinationForbidden: "The destination rules refuse this URL."
        case .invalidTransition(let refusal) where refusal.action == .retry && refusal.state == .completed:
            "Cannot retry: the download is completed. Set \"force\" to true to fetch its file again."
        case .secretsForgotten: "Secrets of the request were forgotten when the download completed."
        case .invalidTransition(let refusal):
            "Cannot \(refusal.action.rawValue): the download is \(refusal.state.rawValue)."
        case .dedupeKeyTaken(let holder, _): "The download \(holder) has the same dedupe_key."
        case .dedupeConflict(let conflict):
            "The download \(conflict.download) has this dedupe_key, but another file."
        case .revisionMismatch(let current): "The current revision is \(current)."
        case .notTerminal: "The download has not ended. Cancel it first, or use ?force=true."
        case .sessionNotTerminal(let open): "\(open) downloads of the session have not ended. Cancel them first."
        case .sessionSealed: "The session is sealed: it accepts no new downloads."
        case .busy: "The file is being published. Try again in a second."
        case .quotaExceeded: "A file of \"expected.size_bytes\" has no room in the session."
        case .sessionFull: "The bytes of the download have no room in the session."
        case .fileNotReady: "The download is not completed."
        case .rootUnavailable(let reason): reason
        case .fileExists(let name):
            "A file named '\(name)' exists already. Give another name or folder."
        case .fileNotMoved(let reason): "The file cannot be moved: \(reason)."
        case .fileNotRemoved(let reason): "The file cannot be removed; the record stays: \(reason)."
        case .webhookReadOnly(.settings): "The webhook belongs to the settings. Change it there."
        case .webhookReadOnly:
            "The webhook belongs to the callback_url of a download or session. Change it there."
        case .unreadable: "The record of the download cannot be read. The log says why."
        case .notFound: "The path names nothing that exists. It may have been deleted."
        case .fieldLocked, .idempotencyKeyReused, .queueFull, .fileGone, .webhookDisabled,
            .rotationInProgress, .tooManyStreams, .draining, .overloaded, .insufficientStorage, .outcomeUnknown,
            .internal:
            nil
        }
    }

    /// The violations of the request's members; empty if no member is the cause.
    public var violations: [Violation] {
        switch self {
        case .invalid(let violations), .unprocessable(let violations): violations
        case .destinationForbidden(_, let pointer), .sessionSealed(let pointer):
            [Violation(pointer, .forbidden, detail ?? "")]
        case .quotaExceeded: [Violation("/expected/size_bytes", .outOfRange, detail ?? "")]
        case .sessionFull: [Violation("/session", .outOfRange, detail ?? "")]
        case .secretsForgotten(let members):
            members.map { member in
                let detail = "The secret was forgotten when the download completed. Give it again, or clear the member."
                return Violation(.root.appending(member), .required, detail)
            }
        case .dedupeConflict(let conflict): conflict.members.map(\.violation)
        case .fieldLocked(let members, let state):
            members.map { member in
                let why = member == "root" ? "the download has begun" : "the download is \(state.rawValue)"
                let detail = "Cannot be changed: \(why)."
                return Violation(.root.appending(member), .forbidden, detail)
            }
        default: []
        }
    }

    /// The number of seconds after which the client may retry; nil if a retry does not help.
    public var retryAfterSeconds: Int? {
        switch self {
        case .busy, .overloaded: 1
        case .draining, .outcomeUnknown: 5
        case .queueFull, .tooManyStreams: 10
        case .rootUnavailable: 30
        default: nil
        }
    }

    /// The cause, for the log only.
    public var cause: String? {
        switch self {
        case .rootUnavailable(let cause), .fileNotMoved(let cause), .fileNotRemoved(let cause), .unreadable(let cause),
            .internal(let cause):
            cause
        case .outcomeUnknown: "the disk failed while a change was being committed"
        case .overloaded: "the database or a descriptor is in use"
        default: nil
        }
    }
}

extension DedupeConflict.Member {
    fileprivate var violation: Violation {
        switch self {
        case .url: Violation("/url", .forbidden, "The download has another URL.")
        case .size: Violation("/expected/size_bytes", .forbidden, "The download does not expect this size.")
        case .digests:
            Violation("/expected/digests", .forbidden, "The download does not expect all of these digests.")
        }
    }
}
