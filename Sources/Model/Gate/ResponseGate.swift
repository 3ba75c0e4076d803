/// Judges a response by its head, before the first byte of its body is taken.
///
/// A transport that reports success says nothing about ranges: servers ignore them, shift them, answer with pages, or
/// with another version of the file. So every response passes here, and bytes are added to others only where an
/// equal validator, an equal total and the right position prove that they belong together (RFC 9110, 15.3.7.3).
/// Where this is in doubt, the answer is a restart: it costs bandwidth, never the file.
public enum ResponseGate {
    /// How many suspect answers in a row are tolerated before a changed file is taken for one.
    public static let maxSuspectAnswers = 3

    /// Decides what to do with `response`, which answers `asked` for the download in `stored`.
    public static func judge(asked: RequestAsked, stored: StoredState, response: OriginResponse) -> GateDecision {
        let isCoded = ContentCoding.hasForeignTransferCoding(response.transferEncoding)
        if isCoded, [200, 203, 206].contains(response.status) {
            return unfit(response, "has a transfer coding that nobody asked for")
        }
        return switch response.status {
        case 100...199: .awaitFinalResponse
        case 200, 203: WholeJudge(asked: asked, stored: stored, response: response).decision
        case 204: emptyBody(response)
        case 206: PartialJudge(asked: asked, stored: stored, response: response).decision
        case 200...299: unfit(response, "cannot carry a file")
        case 300...399: redirect(response)
        case 412 where asked.range?.isConditional == true: .restart(.preconditionFailed, withThisBody: nil)
        case 416: UnsatisfiedJudge(asked: asked, stored: stored, response: response).decision
        case 400...599: refusal(asked: asked, stored: stored, response: response)
        default: unfit(response, "is no status of HTTP")
        }
    }

    /// The redirects that ask for the same method elsewhere, or for GET; a 304 without a condition that could cause
    /// it, a 300 and the rest are faults of the origin.
    private static func redirect(_ response: OriginResponse) -> GateDecision {
        switch response.status {
        case 301, 302, 303, 307, 308:
            guard let location = response.location, !location.isEmpty else {
                return unfit(response, "names no location")
            }
            return .followRedirect(location: location)
        default:
            return unfit(response, "answers nothing that was asked")
        }
    }

    private static func unfit(_ response: OriginResponse, _ fault: String) -> GateDecision {
        .retry(badResponse(response, "The origin's answer with status \(response.status) \(fault).", tries: 1))
    }

    static func emptyBody(_ response: OriginResponse) -> GateDecision {
        .retry(badResponse(response, "The origin answered with an empty body.", tries: 2))
    }

    static func badResponse(_ response: OriginResponse, _ message: String, tries: Int) -> TransferFailure {
        let error = DownloadError(.badResponse, message: message, httpStatus: response.status)
        return TransferFailure(error, failureClass: .transient(.tries(tries)))
    }

    /// Something else than the origin seems to answer: a login page, a captive portal, an error page with status 200.
    static func suspect(_ response: OriginResponse, _ limits: RetryLimits) -> GateDecision {
        let error = DownloadError(
            .badResponse,
            message: "Something else than the file was sent: a login page, or the answer of another server.",
            httpStatus: response.status
        )
        let failureClass = FailureClass.transient(limits)
        return .retrySuspect(
            TransferFailure(error, failureClass: failureClass, retryAfter: response.parsedRetryAfter)
        )
    }

    private static func refusal(asked: RequestAsked, stored: StoredState, response: OriginResponse) -> GateDecision {
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
