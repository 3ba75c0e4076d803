public import Core

/// Validates a response by its header, before the first byte of its body is received.
///
/// A successful transfer proves nothing about ranges: servers ignore or shift them, or send a web page or another
/// version of the file. So every response is validated here. Bytes are combined only if an equal validator, an equal
/// total and the right position prove that they belong together (RFC 9110, 15.3.7.3). In doubt the download restarts,
/// which costs bandwidth but never corrupts the file.
public enum ResponseValidation {
    /// After this many consecutive suspect responses a changed file is accepted.
    public static let maxSuspectResponses = 3

    /// Decides how to proceed with `response` to `request`, for the download in `stored`.
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
        case 304 where request.known != nil: .notModified
        case 300...399: redirect(response)
        case 412 where request.range?.isConditional == true: .restart(.preconditionFailed, withThisBody: nil)
        case 416: UnsatisfiedRangeRules(request: request, stored: stored, response: response).decision
        case 400...599: refusal(request: request, stored: stored, response: response)
        default: unusable(response, "is not a valid HTTP status")
        }
    }

    /// Handles a 3xx response. Only redirects with `Location` that keep the method or change it to GET are followed.
    /// Others, such as a 300, or a 304 without a condition that could cause it, are errors of the origin.
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

    /// The response seems not to come from the origin: a login page, a captive portal, an error page with status 200.
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
        let failure = failure(of: response)
        switch failure.failureClass {
        case .permanent: return .fail(failure.error)
        case .credentials:
            return stored.hasBytes ? .waitForCredentials(failure.error) : .fail(failure.error)
        case .transient(.middlebox): return .retrySuspect(failure)
        case .transient, .startOver, .space, .io: return .retry(failure)
        }
    }
}

extension ResponseValidation {
    /// The failure that a 4xx or 5xx response reports.
    ///
    /// A refusal with `Retry-After` is one for now, whatever its status says otherwise: some origins answer 403 or 420
    /// to too many requests. A 421 concerns the connection, and is repeated over another one (RFC 9110, 15.5.20).
    private static func failure(of response: OriginResponse) -> TransferFailure {
        let error = DownloadError(httpStatus: response.status)
        let retryAfter = response.parsedRetryAfter
        switch response.status {
        case 401:
            guard let schemes = AuthenticationChallenge.unsupportedSchemes(in: response.challenges) else { break }
            let message =
                "The origin offers \(schemes.joined(separator: ", ")) to authenticate; Basic, Digest and Bearer are"
                + " supported."
            let cause = DownloadError(error.code, message: message, httpStatus: response.status)
            return TransferFailure(cause, failureClass: .permanent)
        case 421: return TransferFailure(error, failureClass: .transient(.tries(3)), retryAfter: retryAfter)
        case 400...499 where retryAfter != nil && error.failureClass.isFinal:
            return TransferFailure(error, failureClass: .transient(.untilGivenUp), retryAfter: retryAfter)
        default: break
        }
        return TransferFailure(error, retryAfter: retryAfter)
    }
}

extension FailureClass {
    /// Whether the same request fails again.
    fileprivate var isFinal: Bool { self == .permanent || self == .credentials }
}

/// How to proceed with a response after its header has arrived.
///
/// It is indirect to save memory: otherwise every suspended call with a decision would reserve space for the largest
/// case.
public indirect enum ResponseDecision: Hashable, Sendable {
    /// Receive the body.
    case accept(AcceptedBody)
    /// Discard the stored bytes. If `withThisBody` is nil, the body is refused and a plain GET follows; otherwise the
    /// body is the file from byte 0 and is stored as a new generation.
    case restart(RestartReason, withThisBody: AcceptedBody?)
    /// Refuse the body and repeat the request without a range. The bytes stay until that response is validated.
    /// `flagsHost`: the host does not serve ranges reliably.
    case requestWithoutRange(RangeRejectionReason, flagsHost: Bool)
    /// Refuse the body and repeat the request with the other form of `If-Range`: the host ignored this form, and the
    /// file is unchanged.
    case requestWithOtherCondition
    /// The host ignores ranges: stop this segment and fetch the rest in a single stream. The other bytes are of the
    /// same version and stay.
    case collapseToSingleStream
    /// Every byte is stored: verify the file.
    case alreadyComplete
    /// The origin has the version that was downloaded before: keep its file.
    case notModified
    /// Request the URL in `Location`, if the redirect and destination rules allow it.
    case followRedirect(location: String)
    /// An interim response (1xx): wait for the final one.
    case awaitFinalResponse
    /// Refuse the body and keep the bytes; ``RetryPolicy`` decides when to try again.
    case retry(TransferFailure)
    /// Like `retry`, for a suspect response: ``StoredState/suspectResponses`` increases by one.
    case retrySuspect(TransferFailure)
    /// Keep the bytes and wait until a client sets other credentials or another URL.
    case waitForCredentials(DownloadError)
    case fail(DownloadError)
}

extension ResponseDecision {
    /// The decision for the request log; nil if the response is not final.
    public var recordedDecision: RequestRecord.Decision? {
        switch self {
        case .accept: .init(.accept)
        case .restart(let reason, _): .init(.restart, reason: reason.rawValue)
        case .requestWithoutRange(let reason, _): .init(.requestWithoutRange, reason: reason.rawValue)
        case .requestWithOtherCondition: .init(.requestWithOtherCondition, reason: RestartReason.rangeIgnored.rawValue)
        case .collapseToSingleStream: .init(.singleStream, reason: RestartReason.rangeIgnored.rawValue)
        case .alreadyComplete: .init(.alreadyComplete)
        case .notModified: .init(.notModified)
        case .retry(let failure): .init(.retry, reason: failure.error.code.rawValue)
        case .retrySuspect(let failure): .init(.suspect, reason: failure.error.code.rawValue)
        case .waitForCredentials(let error): .init(.waitForCredentials, reason: error.code.rawValue)
        case .fail(let error): .init(.fail, reason: error.code.rawValue)
        case .followRedirect, .awaitFinalResponse: nil
        }
    }

    /// Whether the origin responded to a range request with the whole, unchanged file.
    public var hasIgnoredRange: Bool {
        switch self {
        case .requestWithOtherCondition, .collapseToSingleStream, .restart(.rangeIgnored, _): true
        default: false
        }
    }

    /// Whether the body of the response will be received.
    public var acceptsBody: Bool {
        switch self {
        case .accept, .restart(_, withThisBody: _?): true
        default: false
        }
    }
}

/// Why stored bytes are discarded.
public enum RestartReason: String, CaseIterable, Sendable {
    /// The entity tag is different.
    case etagChanged = "etag_changed"
    /// The size of the whole file is different.
    case totalChanged = "total_changed"
    case lastModifiedChanged = "last_modified_changed"
    case encodingChanged = "encoding_changed"
    /// The origin responded to a range request with the whole file.
    case rangeIgnored = "range_ignored"
    /// The origin sent another range than the requested one.
    case rangeMismatch = "range_mismatch"
    /// The condition of the request failed (412).
    case preconditionFailed = "precondition_failed"
    /// Nothing in the response proves that it belongs to the stored bytes.
    case validatorMissing = "validator_missing"
    /// No stored validator allows a resume.
    case notResumable = "not_resumable"
    /// Repeated bytes differ from the stored ones.
    case overlapDiffers = "overlap_differs"
    /// The origin has no further byte, and nothing proves that the stored ones are the whole file.
    case endUnproven = "end_unproven"

    /// Whether the origin's file has changed. The other reasons only mean that the stored bytes cannot be continued.
    public var isChange: Bool {
        switch self {
        case .etagChanged, .totalChanged, .lastModifiedChanged, .encodingChanged, .preconditionFailed,
            .overlapDiffers:
            true
        case .rangeIgnored, .rangeMismatch, .validatorMissing, .notResumable, .endUnproven: false
        }
    }
}
