public import Core

/// Validates a response by its head, before the first byte of its body is received.
///
/// A transport that reports success says nothing about ranges: servers ignore them, shift them, answer with pages, or
/// with another version of the file. So every response passes here, and bytes are added to others only where an
/// equal validator, an equal total and the right position prove that they belong together (RFC 9110, 15.3.7.3).
/// Where this is in doubt, the answer is a restart: it costs bandwidth, never the file.
public enum ResponseValidation {
    /// After this many suspect responses in a row a changed file is accepted as such.
    public static let maxSuspectResponses = 3

    /// Decides what to do with `response`, which answers `request` for the download in `stored`.
    public static func validate(request: SentRequest, stored: StoredState, response: OriginResponse) -> ResponseDecision
    {
        let isCoded = ContentCoding.hasForeignTransferCoding(response.transferEncoding)
        if isCoded, [200, 203, 206].contains(response.status) {
            return unusable(response, "has a transfer coding that was not requested")
        }
        return switch response.status {
        case 100...199: .awaitFinalResponse
        case 200, 203: FullContentRules(request: request, stored: stored, response: response).decision
        case 204: emptyBody(response)
        case 206: PartialContentRules(request: request, stored: stored, response: response).decision
        case 200...299: unusable(response, "cannot carry a file")
        case 300...399: redirect(response)
        case 412 where request.range?.isConditional == true: .restart(.preconditionFailed, withThisBody: nil)
        case 416: UnsatisfiedRangeRules(request: request, stored: stored, response: response).decision
        case 400...599: refusal(request: request, stored: stored, response: response)
        default: unusable(response, "is not a valid HTTP status")
        }
    }

    /// The redirects that ask for the same method elsewhere, or for GET; a 304 without a condition that could cause
    /// it, a 300 and the rest are faults of the origin.
    private static func redirect(_ response: OriginResponse) -> ResponseDecision {
        switch response.status {
        case 301, 302, 303, 307, 308:
            guard let location = response.location, !location.isEmpty else {
                return unusable(response, "has no Location field")
            }
            return .followRedirect(location: location)
        default:
            return unusable(response, "answers a condition that was not sent")
        }
    }

    private static func unusable(_ response: OriginResponse, _ fault: String) -> ResponseDecision {
        .retry(badResponse(response, "The origin's answer with status \(response.status) \(fault).", tries: 1))
    }

    static func emptyBody(_ response: OriginResponse) -> ResponseDecision {
        .retry(badResponse(response, "The origin answered with an empty body.", tries: 2))
    }

    static func badResponse(_ response: OriginResponse, _ message: String, tries: Int) -> TransferFailure {
        let error = DownloadError(.badResponse, message: message, httpStatus: response.status)
        return TransferFailure(error, failureClass: .transient(.tries(tries)))
    }

    /// Something else than the origin seems to answer: a login page, a captive portal, an error page with status 200.
    static func suspect(_ response: OriginResponse, _ limits: RetryLimits) -> ResponseDecision {
        let error = DownloadError(
            .badResponse,
            message: "The response is not the file: it looks like a login page, or comes from another server.",
            httpStatus: response.status
        )
        let failureClass = FailureClass.transient(limits)
        return .retrySuspect(
            TransferFailure(error, failureClass: failureClass, retryAfter: response.parsedRetryAfter)
        )
    }

    private static func refusal(request: SentRequest, stored: StoredState, response: OriginResponse) -> ResponseDecision
    {
        let failure = TransferFailure(DownloadError(httpStatus: response.status), retryAfter: response.parsedRetryAfter)
        switch failure.failureClass {
        case .permanent: return .fail(failure.error)
        case .credentials:
            return stored.hasBytes ? .waitForCredentials(failure.error) : .fail(failure.error)
        case .transient(.middlebox): return .retrySuspect(failure)
        case .transient, .startOver, .space, .io: return .retry(failure)
        }
    }
}

/// What to do with a response whose head has arrived.
///
/// It is indirect to save memory: every suspended call with a decision would reserve room for the largest.
public indirect enum ResponseDecision: Hashable, Sendable {
    /// Take the body.
    case accept(AcceptedBody)
    /// Drop the stored bytes. If `withThisBody` is nil, the body is refused and a plain GET follows; otherwise the body
    /// is the file from byte 0, and goes into a new generation.
    case restart(RestartReason, withThisBody: AcceptedBody?)
    /// Refuse the body and ask again without a range; the bytes stay until that response is validated. `flagsHost`: the
    /// host's ranges are not reliable.
    case requestWithoutRange(RangeRejectionReason, flagsHost: Bool)
    /// Refuse the body and ask again with the other form of `If-Range`: the host ignores the one that was sent, and the
    /// file is the same.
    case requestWithOtherCondition
    /// The host ignores ranges: stop this segment and fetch the whole rest in one stream. The other bytes are of the
    /// same version and stay.
    case collapseToSingleStream
    /// Every byte is there: verify the file.
    case alreadyComplete
    /// Ask for what `Location` names, once it has passed the redirect and destination rules.
    case followRedirect(location: String)
    /// An interim response: the final one is still to come.
    case awaitFinalResponse
    /// Refuse the body and keep the bytes; ``RetryPolicy`` decides when to try again.
    case retry(TransferFailure)
    /// As `retry`, but an answer to mistrust: the next ``StoredState/suspectResponses`` is one higher.
    case retrySuspect(TransferFailure)
    /// Keep the bytes until a client sets other credentials or another URL.
    case waitForCredentials(DownloadError)
    case fail(DownloadError)
}

extension ResponseDecision {
    /// The decision in the request log; nil if it is no decision on a body.
    public var recordedDecision: RequestRecord.Decision? {
        switch self {
        case .accept: .init(.accept)
        case .restart(let reason, _): .init(.restart, reason: reason.rawValue)
        case .requestWithoutRange(let reason, _): .init(.requestWithoutRange, reason: reason.rawValue)
        case .requestWithOtherCondition: .init(.requestWithOtherCondition, reason: RestartReason.rangeIgnored.rawValue)
        case .collapseToSingleStream: .init(.singleStream, reason: RestartReason.rangeIgnored.rawValue)
        case .alreadyComplete: .init(.alreadyComplete)
        case .retry(let failure): .init(.retry, reason: failure.error.code.rawValue)
        case .retrySuspect(let failure): .init(.suspect, reason: failure.error.code.rawValue)
        case .waitForCredentials(let error): .init(.waitForCredentials, reason: error.code.rawValue)
        case .fail(let error): .init(.fail, reason: error.code.rawValue)
        case .followRedirect, .awaitFinalResponse: nil
        }
    }

    /// Whether the whole file came in answer to a range, and was the same.
    public var hasIgnoredRange: Bool {
        switch self {
        case .requestWithOtherCondition, .collapseToSingleStream, .restart(.rangeIgnored, _): true
        default: false
        }
    }

    /// Whether the body of the response is received.
    public var acceptsBody: Bool {
        switch self {
        case .accept, .restart(_, withThisBody: _?): true
        default: false
        }
    }
}

/// Why downloaded bytes are dropped.
public enum RestartReason: String, CaseIterable, Sendable {
    /// The entity tag is another.
    case etagChanged = "etag_changed"
    /// The size of the whole file is another.
    case totalChanged = "total_changed"
    case lastModifiedChanged = "last_modified_changed"
    case encodingChanged = "encoding_changed"
    /// The origin answered a range with the whole file.
    case rangeIgnored = "range_ignored"
    /// The origin sent another range than the one asked for.
    case rangeMismatch = "range_mismatch"
    /// The condition of the request failed: 412.
    case preconditionFailed = "precondition_failed"
    /// Nothing in the response proves that it belongs to the stored bytes.
    case validatorMissing = "validator_missing"
    /// No stored validator allows a resume.
    case notResumable = "not_resumable"
    /// Bytes that were fetched a second time came out different.
    case overlapDiffers = "overlap_differs"

    /// Whether the origin's file has changed. The other reasons only mean that the stored bytes cannot be continued.
    public var isChange: Bool {
        switch self {
        case .etagChanged, .totalChanged, .lastModifiedChanged, .encodingChanged, .preconditionFailed,
            .overlapDiffers:
            true
        case .rangeIgnored, .rangeMismatch, .validatorMissing, .notResumable: false
        }
    }
}
