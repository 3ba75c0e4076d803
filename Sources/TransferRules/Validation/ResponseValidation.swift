import Core

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
        .retry(badResponse(response, "The origin's answer with status \(response.status) \(fault).", retries: 1))
    }

    static func emptyBody(_ response: OriginResponse) -> ResponseDecision {
        .retry(badResponse(response, "The origin answered with an empty body.", retries: 2))
    }

    static func badResponse(_ response: OriginResponse, _ message: String, retries: Int) -> TransferFailure {
        let error = DownloadError(.badResponse, message: message, httpStatus: response.status)
        return TransferFailure(error, failureClass: .transient(.retries(retries)))
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
        case 421: return TransferFailure(error, failureClass: .transient(.retries(3)), retryAfter: retryAfter)
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
