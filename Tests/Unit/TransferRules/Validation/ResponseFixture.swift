import Core
import HTTPFields
import Testing
import TransferRules

/// A download of 4,000,000 bytes of which 2,400,000 are there, and answers to what it may ask.
enum ResponseFixture {
    static let durable: Int64 = 2_400_000
    static let total: Int64 = 4_000_000
    /// An hour after ``modified``.
    static let now = HTTPDate(secondsSinceEpoch: 784_115_377)
    static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    /// The date of every file in some stores (``ConstantDate``).
    static let epoch = "Thu, 01 Jan 1970 00:00:01 GMT"
    static let laterModified = "Sun, 06 Nov 1994 08:50:37 GMT"

    static func validator(
        etag: String? = "\"v1\"",
        lastModified: String? = modified,
        isStrong: Bool = true,
        total: Int64? = total,
        encoding: String? = nil,
        type: String? = "application/zip"
    ) -> Validator {
        Validator(
            etag: etag.flatMap(EntityTag.init),
            lastModified: lastModified.flatMap { HTTPDate($0, now: now) },
            isLastModifiedStrong: isStrong,
            total: total,
            contentEncoding: encoding,
            contentType: type
        )
    }

    static func stored(
        _ validator: Validator? = validator(),
        durable: Int64 = durable,
        digest: Bool = false
    )
        -> StoredState
    {
        var state = StoredState(durableBytes: durable, validator: validator, expectsDigest: digest)
        state.isVerifiedByDigest = digest
        return state
    }

    /// What the ladder asks for that state.
    static func request(for stored: StoredState) -> SentRequest {
        let plan = ResumePlan(resuming: stored)
        return SentRequest(plan) ?? SentRequest(range: RequestedRange(first: total, last: nil, condition: ifRange))
    }

    static let ifRange: RangeCondition = ResumePlan(resuming: stored()).condition ?? .none(overlap: 0)

    static func response(_ status: Int, _ change: (inout OriginResponse) -> Void = { _ in }) -> OriginResponse {
        var response = OriginResponse(status: status, receivedAt: now)
        response.date = now.fieldValue
        change(&response)
        return response
    }

    /// The right answer to the range, as changed.
    static func part(_ change: (inout OriginResponse) -> Void = { _ in }) -> OriginResponse {
        response(206) {
            $0.contentRange = "bytes 2400000-3999999/4000000"
            $0.contentLength = 1_600_000
            $0.etag = "\"v1\""
            $0.lastModified = modified
            $0.contentType = "application/zip"
            change(&$0)
        }
    }

    /// The whole file, as changed.
    static func whole(_ change: (inout OriginResponse) -> Void = { _ in }) -> OriginResponse {
        response(200) {
            $0.contentLength = total
            $0.etag = "\"v1\""
            $0.lastModified = modified
            $0.contentType = "application/zip"
            change(&$0)
        }
    }

    /// A page of a captive portal.
    static func page(_ change: (inout OriginResponse) -> Void = { _ in }) -> OriginResponse {
        response(200) {
            $0.contentLength = 130
            $0.contentType = "text/html; charset=utf-8"
            change(&$0)
        }
    }
}

extension ResumePlan {
    var condition: RangeCondition? {
        guard case .range(_, _, let condition) = self else { return nil }
        return condition
    }
}

/// The essence of a decision, short enough for a table.
enum ResponseOutcome: Hashable {
    case accept(at: Int64, length: Int64?, overlap: Int64 = 0)
    case acceptUnproven
    case restart(RestartReason)
    case restartWithBody(RestartReason)
    case requestWithoutRange(RangeRejectionReason, flagged: Bool = false)
    case requestWithOtherCondition
    case collapse
    case complete
    case notModified
    case follow
    case interim
    case retry(DownloadError.Code, FailureClass)
    case suspect(RetryLimits)
    case credentials
    case fail(DownloadError.Code)

    init(_ decision: ResponseDecision) {
        switch decision {
        case .accept(let acceptance) where !acceptance.isLengthProvable: self = .acceptUnproven
        case .accept(let acceptance):
            self = .accept(
                at: acceptance.writeOffset,
                length: acceptance.expectedLength,
                overlap: acceptance.overlapToCompare
            )
        case .restart(let reason, nil): self = .restart(reason)
        case .restart(let reason, .some): self = .restartWithBody(reason)
        case .requestWithoutRange(let reason, let flagged): self = .requestWithoutRange(reason, flagged: flagged)
        case .requestWithOtherCondition: self = .requestWithOtherCondition
        case .collapseToSingleStream: self = .collapse
        case .alreadyComplete: self = .complete
        case .notModified: self = .notModified
        case .followRedirect: self = .follow
        case .awaitFinalResponse: self = .interim
        case .retry(let failure): self = .retry(failure.error.code, failure.failureClass)
        case .retrySuspect(let failure):
            guard case .transient(let limits) = failure.failureClass else {
                self = .retry(failure.error.code, failure.failureClass)
                return
            }
            self = .suspect(limits)
        case .waitForCredentials: self = .credentials
        case .fail(let error): self = .fail(error.code)
        }
    }
}

/// A row of the gate's table.
struct ResponseRow: Sendable, CustomTestStringConvertible {
    let claim: String
    var stored: StoredState = ResponseFixture.stored()
    var request: SentRequest?
    let response: OriginResponse
    let outcome: ResponseOutcome

    var testDescription: String { claim }

    var decided: ResponseOutcome {
        let request = request ?? ResponseFixture.request(for: stored)
        return ResponseOutcome(ResponseValidation.validate(request: request, stored: stored, response: response))
    }
}
