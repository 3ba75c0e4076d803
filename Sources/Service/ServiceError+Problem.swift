public import Core

/// What an error tells its caller.
extension ServiceError {
    /// The kind of problem. The HTTP status follows from it (``ProblemType/status``).
    public var type: ProblemType {
        switch self {
        case .invalid: .invalidRequest
        case .unprocessable: .unprocessable
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
        case .quotaExceeded: .quotaExceeded
        case .fileNotReady: .fileNotReady
        case .fileGone: .fileGone
        case .webhookReadOnly: .webhookReadOnly
        case .webhookDisabled: .webhookDisabled
        case .rotationInProgress: .rotationInProgress
        case .tooManyStreams: .tooManyStreams
        case .draining: .draining
        case .overloaded: .overloaded
        case .insufficientStorage: .insufficientStorage
        case .outcomeUnknown: .outcomeUnknown
        case .fileNotRemoved, .unreadable, .internal: .internalError
        }
    }

    /// A sentence for a person, which repeats no secret; nil where the problem's title says all.
    public var detail: String? {
        switch self {
        case .invalid: "The request has members that cannot be taken."
        case .unprocessable: "The request cannot be carried out."
        case .destinationForbidden: "The service may not fetch from there."
        case .invalidTransition(let refusal):
            "A download that is \(refusal.state.rawValue) takes no \(refusal.action.rawValue) now."
        case .dedupeKeyTaken(let holder, _): "The download \(holder) has the dedupe_key of this one."
        case .dedupeConflict(let conflict):
            "The download \(conflict.download) has this dedupe_key, and is of another file."
        case .revisionMismatch(let current): "It is at revision \(current)."
        case .notTerminal: "The download has not ended; ?force=true cancels it first."
        case .sessionNotTerminal(let open): "\(open) of its downloads have not ended; cancel them first."
        case .sessionSealed: "The session takes no new downloads."
        case .busy: "The file is being moved to its place."
        case .quotaExceeded: "A file of \"expected.size_bytes\" has no room in the session."
        case .fileNotReady: "The download has not completed."
        case .fileNotRemoved(let reason): "The file cannot be removed, so the download stays: \(reason)."
        case .webhookReadOnly(.settings): "It is the webhook of the settings, and is changed there."
        case .webhookReadOnly:
            "It is the webhook of the callback_url of a download or session, and is changed there."
        case .unreadable: "The record of the download is unreadable; the log says why."
        case .notFound, .fieldLocked, .idempotencyKeyReused, .queueFull, .fileGone, .webhookDisabled,
            .rotationInProgress, .tooManyStreams, .draining, .overloaded, .insufficientStorage, .outcomeUnknown,
            .internal:
            nil
        }
    }

    /// The members of the request that are at fault, each with its code; none where it is no member's fault.
    public var violations: [Violation] {
        switch self {
        case .invalid(let violations), .unprocessable(let violations): violations
        case .destinationForbidden(_, let pointer), .sessionSealed(let pointer):
            [Violation(pointer, .forbidden, detail ?? "")]
        case .quotaExceeded: [Violation("/expected/size_bytes", .outOfRange, detail ?? "")]
        case .dedupeConflict(let conflict): conflict.members.map(\.violation)
        case .fieldLocked(let members, let state):
            members.map { Violation(.root.appending($0), .forbidden, "Locked while \(state.rawValue).") }
        default: []
        }
    }

    /// After how many seconds the caller may ask again; nil where that is no remedy.
    public var retryAfterSeconds: Int? {
        switch self {
        case .busy, .overloaded: 1
        case .draining, .outcomeUnknown: 5
        case .queueFull, .tooManyStreams: 10
        default: nil
        }
    }

    /// What is at fault, for the log alone.
    public var cause: String? {
        switch self {
        case .fileNotRemoved(let cause), .unreadable(let cause), .internal(let cause): cause
        case .outcomeUnknown: "the disk failed while a change was being committed"
        case .overloaded: "the database or a descriptor is taken"
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
