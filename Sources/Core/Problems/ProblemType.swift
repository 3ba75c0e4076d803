/// The problem types of the API (RFC 9457). The slug is stable: `type` is `/problems/<slug>`, and a GET of that path
/// returns an explanation.
public enum ProblemType: String, CaseIterable, Hashable, Sendable {
    case invalidJSON = "invalid-json"
    case invalidRequest = "invalid-request"
    case invalidCursor = "invalid-cursor"
    case invalidFilter = "invalid-filter"
    case idempotencyKeyInvalid = "idempotency-key-invalid"
    case unauthenticated
    case originNotAllowed = "origin-not-allowed"
    case destinationForbidden = "destination-forbidden"
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case notAcceptable = "not-acceptable"
    case invalidTransition = "invalid-transition"
    case dedupeKeyTaken = "dedupe-key-taken"
    case dedupeConflict = "dedupe-conflict"
    case revisionMismatch = "revision-mismatch"
    case fieldLocked = "field-locked"
    case notTerminal = "not-terminal"
    case sessionSealed = "session-sealed"
    case busy
    case fileNotReady = "file-not-ready"
    case fileGone = "file-gone"
    case fileExists = "file-exists"
    case webhookDisabled = "webhook-disabled"
    case webhookReadOnly = "webhook-read-only"
    case rotationInProgress = "rotation-in-progress"
    case eventsExpired = "events-expired"
    case preconditionFailed = "precondition-failed"
    case tooLarge = "too-large"
    case unsupportedMediaType = "unsupported-media-type"
    case rangeNotSatisfiable = "range-not-satisfiable"
    case hostNotAllowed = "host-not-allowed"
    case unprocessable
    case idempotencyKeyReused = "idempotency-key-reused"
    case tooManyWrongTokens = "too-many-wrong-tokens"
    case internalError = "internal"
    case draining
    case overloaded
    case queueFull = "queue-full"
    case tooManyStreams = "too-many-streams"
    case outcomeUnknown = "outcome-unknown"
    case rootUnavailable = "root-unavailable"
    case insufficientStorage = "insufficient-storage"
    case quotaExceeded = "quota-exceeded"

    /// The stable name, which is the last part of the type's URI.
    public var slug: String { rawValue }

    /// The `type` member: a path relative to the service.
    public var path: String { "/problems/\(rawValue)" }

    /// The HTTP status of the problem's response.
    public var status: Int {
        switch self {
        case .invalidJSON, .invalidRequest, .invalidCursor, .invalidFilter, .idempotencyKeyInvalid: 400
        case .unauthenticated: 401
        case .originNotAllowed, .destinationForbidden: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .notAcceptable: 406
        case .invalidTransition, .dedupeKeyTaken, .dedupeConflict, .revisionMismatch, .fieldLocked, .notTerminal,
            .sessionSealed, .busy, .fileNotReady, .fileExists, .webhookDisabled, .webhookReadOnly, .rotationInProgress:
            409
        case .fileGone, .eventsExpired: 410
        case .preconditionFailed: 412
        case .tooLarge: 413
        case .unsupportedMediaType: 415
        case .rangeNotSatisfiable: 416
        case .hostNotAllowed: 421
        case .unprocessable, .idempotencyKeyReused: 422
        case .tooManyWrongTokens: 429
        case .internalError: 500
        case .draining, .overloaded, .queueFull, .tooManyStreams, .outcomeUnknown, .rootUnavailable: 503
        case .insufficientStorage, .quotaExceeded: 507
        }
    }

    /// A short summary that is the same for each occurrence.
    public var title: String {
        switch self {
        case .invalidJSON: "The body is not JSON"
        case .invalidRequest: "The request is not valid"
        case .invalidCursor: "The cursor is not valid"
        case .invalidFilter: "The filter is not valid"
        case .idempotencyKeyInvalid: "The Idempotency-Key is not valid"
        case .unauthenticated: "A token is required"
        case .originNotAllowed: "The origin is not allowed"
        case .destinationForbidden: "The destination is not allowed"
        case .notFound: "Not found"
        case .methodNotAllowed: "The method is not allowed here"
        case .notAcceptable: "No acceptable representation"
        case .invalidTransition: "The download's state does not allow this action"
        case .dedupeKeyTaken: "Another download has the dedupe_key"
        case .dedupeConflict: "The dedupe_key belongs to another file"
        case .revisionMismatch: "The resource has changed"
        case .fieldLocked: "A member cannot be changed now"
        case .notTerminal: "Not ended"
        case .sessionSealed: "The session is sealed"
        case .busy: "The download is busy"
        case .fileNotReady: "The file is not ready"
        case .fileGone: "The file is gone"
        case .fileExists: "Another file has this name"
        case .webhookDisabled: "The webhook is disabled"
        case .webhookReadOnly: "The webhook is read-only"
        case .rotationInProgress: "A secret rotation is in progress"
        case .eventsExpired: "The events have expired"
        case .preconditionFailed: "A precondition failed"
        case .tooLarge: "The body is too large"
        case .unsupportedMediaType: "The media type is not supported"
        case .rangeNotSatisfiable: "The range is not satisfiable"
        case .hostNotAllowed: "The host is not served here"
        case .unprocessable: "The request cannot be carried out"
        case .idempotencyKeyReused: "The Idempotency-Key was used for another request"
        case .tooManyWrongTokens: "Too many wrong tokens"
        case .internalError: "An internal error"
        case .draining: "The service is shutting down"
        case .overloaded: "The service is overloaded"
        case .queueFull: "The queue is full"
        case .tooManyStreams: "Too many streams are open"
        case .outcomeUnknown: "The outcome is unknown"
        case .rootUnavailable: "The folder of the file is not available"
        case .insufficientStorage: "Insufficient storage"
        case .quotaExceeded: "The quota of the session is exceeded"
        }
    }
}

/// The part of a destination for which it is refused.
public enum DestinationReason: String, CaseIterable, Hashable, Sendable {
    case scheme, port, address, proxy
}
