public import Core

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
