import Core
import HTTPFields
import Testing
import TransferRules

/// Answers that carry no bytes of a file.
@Suite struct RefusalTests {
    private typealias F = ResponseFixture

    private static let fresh = StoredState()
    private static let complete = F.stored(durable: F.total)
    private static let unconditional = SentRequest(
        range: RequestedRange(first: 2_334_464, last: nil, condition: .none(overlap: 65_536))
    )

    private static func unsatisfied(
        _ total: Int64?,
        _ change: (inout OriginResponse) -> Void = { _ in }
    ) -> OriginResponse {
        F.response(416) {
            $0.contentRange = total.map { "bytes */\($0)" }
            change(&$0)
        }
    }

    static let rows = [
        ResponseRow(claim: "continue", response: F.response(100), outcome: .interim),
        ResponseRow(claim: "early hints", response: F.response(103), outcome: .interim),
        ResponseRow(
            claim: "moved",
            response: F.response(302) { $0.location = "https://b.example/x" },
            outcome: .follow
        ),
        ResponseRow(claim: "moved for good", response: F.response(308) { $0.location = "/x" }, outcome: .follow),
        ResponseRow(
            claim: "moved to nowhere",
            response: F.response(302),
            outcome: .retry(.badResponse, .transient(.retries(1)))
        ),
        ResponseRow(
            claim: "choices",
            response: F.response(300) { $0.location = "/x" },
            outcome: .retry(.badResponse, .transient(.retries(1)))
        ),
        ResponseRow(
            claim: "not modified",
            response: F.response(304),
            outcome: .retry(.badResponse, .transient(.retries(1)))
        ),
        ResponseRow(claim: "condition failed", response: F.response(412), outcome: .restart(.preconditionFailed)),
        ResponseRow(
            claim: "a condition that was not sent failed",
            request: unconditional,
            response: F.response(412),
            outcome: .fail(.httpClientError)
        ),
        ResponseRow(
            claim: "beyond the end: complete",
            stored: complete,
            response: unsatisfied(F.total),
            outcome: .complete
        ),
        ResponseRow(
            claim: "beyond the end: other version",
            stored: complete,
            response: unsatisfied(F.total) { $0.etag = "\"v2\"" },
            outcome: .restart(.etagChanged)
        ),
        ResponseRow(claim: "beyond the end: shrunk", response: unsatisfied(100), outcome: .restart(.totalChanged)),
        ResponseRow(
            claim: "beyond the end: grown",
            stored: complete,
            response: unsatisfied(F.total + 1),
            outcome: .restart(.totalChanged)
        ),
        ResponseRow(
            claim: "beyond the end: fewer than here",
            stored: F.stored(F.validator(total: nil)),
            response: unsatisfied(100),
            outcome: .restart(.totalChanged)
        ),
        ResponseRow(
            claim: "beyond the end: not so",
            response: unsatisfied(F.total),
            outcome: .requestWithoutRange(.rangeNotSatisfiable)
        ),
        ResponseRow(
            claim: "beyond the end: total never told",
            stored: F.stored(F.validator(total: nil)),
            response: unsatisfied(F.durable),
            outcome: .restart(.endUnproven)
        ),
        ResponseRow(
            claim: "beyond the end: total never told, the tag is equal",
            stored: F.stored(F.validator(total: nil)),
            response: unsatisfied(F.durable) { $0.etag = "\"v1\"" },
            outcome: .complete
        ),
        ResponseRow(
            claim: "beyond the end: total never told, the weak tag is equal",
            stored: F.stored(F.validator(etag: "W/\"v1\"", total: nil)),
            response: unsatisfied(F.durable) { $0.etag = "W/\"v1\"" },
            outcome: .restart(.endUnproven)
        ),
        ResponseRow(
            claim: "beyond the end: total never told, a digest decides",
            stored: F.stored(F.validator(total: nil), digest: true),
            response: unsatisfied(F.durable),
            outcome: .complete
        ),
        ResponseRow(
            claim: "beyond the end: the length told was too large",
            stored: F.stored(F.validator(total: F.durable + 3)),
            response: unsatisfied(F.durable),
            outcome: .restart(.endUnproven)
        ),
        ResponseRow(
            claim: "beyond the end: the length told was too large, the tag is equal",
            stored: F.stored(F.validator(total: F.durable + 3)),
            response: unsatisfied(F.durable) { $0.etag = "\"v1\"" },
            outcome: .restart(.endUnproven)
        ),
        ResponseRow(
            claim: "beyond the end: says nothing",
            response: unsatisfied(nil),
            outcome: .requestWithoutRange(.rangeNotSatisfiable)
        ),
        ResponseRow(
            claim: "beyond the end of no range",
            stored: fresh,
            request: SentRequest(),
            response: unsatisfied(0),
            outcome: .retry(.badResponse, .transient(.retries(1)))
        ),
        ResponseRow(claim: "credentials, bytes", response: F.response(403), outcome: .credentials),
        ResponseRow(
            claim: "credentials, no bytes",
            stored: fresh,
            response: F.response(401),
            outcome: .fail(.authRequired)
        ),
        ResponseRow(
            claim: "NTLM alone",
            response: F.response(401) { $0.challenges = ["NTLM", "Negotiate"] },
            outcome: .fail(.authRequired)
        ),
        ResponseRow(
            claim: "NTLM beside Basic",
            response: F.response(401) { $0.challenges = ["Negotiate, NTLM", "Basic realm=\"a, b\""] },
            outcome: .credentials
        ),
        ResponseRow(
            claim: "another connection",
            response: F.response(421),
            outcome: .retry(.httpClientError, .transient(.retries(3)))
        ),
        ResponseRow(
            claim: "forbidden for now",
            response: F.response(403) { $0.retryAfter = "120" },
            outcome: .retry(.authRequired, .transient(.untilGivenUp))
        ),
        ResponseRow(
            claim: "enhance your calm",
            stored: fresh,
            response: F.response(420) { $0.retryAfter = "120" },
            outcome: .retry(.httpClientError, .transient(.untilGivenUp))
        ),
        ResponseRow(
            claim: "forbidden, and a wait that is none",
            response: F.response(403) { $0.retryAfter = "soon" },
            outcome: .credentials
        ),
        ResponseRow(
            claim: "not found",
            response: F.response(404),
            outcome: .retry(.fileNotFound, .transient(.notFound))
        ),
        ResponseRow(claim: "gone", response: F.response(410), outcome: .fail(.httpClientError)),
        ResponseRow(claim: "forbidden by law", response: F.response(451), outcome: .fail(.httpClientError)),
        ResponseRow(claim: "teapot", response: F.response(418), outcome: .fail(.httpClientError)),
        ResponseRow(
            claim: "too many requests",
            response: F.response(429),
            outcome: .retry(.httpClientError, .transient(.untilGivenUp))
        ),
        ResponseRow(
            claim: "unavailable",
            response: F.response(503),
            outcome: .retry(.httpServerError, .transient(.untilGivenUp))
        ),
        ResponseRow(
            claim: "CDN without its origin",
            response: F.response(522),
            outcome: .retry(.httpServerError, .transient(.untilGivenUp))
        ),
        ResponseRow(
            claim: "not implemented",
            response: F.response(501),
            outcome: .retry(.httpServerError, .transient(.retries(2)))
        ),
        ResponseRow(claim: "portal by the book", response: F.response(511), outcome: .suspect(.middlebox)),
        ResponseRow(
            claim: "no status",
            response: F.response(0),
            outcome: .retry(.badResponse, .transient(.retries(1)))
        ),
    ]

    @Test func theSchemesThatAnOriginOffersAreNamed() {
        let response = F.response(401) { $0.challenges = ["NTLM", "Negotiate"] }

        let decision = ResponseValidation.validate(
            request: SentRequest(),
            stored: Self.fresh,
            response: response
        )

        guard case .fail(let error) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(error.message.contains("NTLM, Negotiate"))
    }

    @Test(arguments: rows)
    func aResponseWithoutBytesIsValidated(_ row: ResponseRow) {
        #expect(row.decided == row.outcome)
    }

    @Test func theOriginsWishComesAlong() {
        let response = F.response(503) { $0.retryAfter = "77" }

        let decision = ResponseValidation.validate(request: SentRequest(), stored: Self.fresh, response: response)

        guard case .retry(let failure) = decision else {
            Issue.record("expected a retry")
            return
        }
        #expect(failure.retryAfter?.delay == .seconds(77))
    }
}

/// A 200 in answer to a range of the same version, from a host that may look at the other form of `If-Range`.
@Suite struct OtherIfRangeTests {
    private typealias F = ResponseFixture

    private static let segment = SentRequest(
        range: RequestedRange(first: 3_000_000, last: 3_999_999, condition: F.ifRange),
        segmentIndex: 1
    )

    private static func twoForms(
        _ validator: Validator = F.validator(),
        durable: Int64 = F.durable
    ) -> StoredState {
        var state = F.stored(validator, durable: durable)
        state.hasOtherIfRange = true
        return state
    }

    static let rows = [
        ResponseRow(
            claim: "the other form untried",
            stored: twoForms(),
            response: F.whole(),
            outcome: .requestWithOtherCondition
        ),
        ResponseRow(
            claim: "the other form untried, for a segment",
            stored: twoForms(),
            request: segment,
            response: F.whole(),
            outcome: .requestWithOtherCondition
        ),
        ResponseRow(
            claim: "the other form untried, of no length",
            stored: twoForms(),
            response: F.whole { $0.transferEncoding = "chunked" },
            outcome: .requestWithOtherCondition
        ),
        ResponseRow(
            claim: "the other form untried, other tag",
            stored: twoForms(),
            response: F.whole { $0.etag = "\"v2\"" },
            outcome: .restartWithBody(.etagChanged)
        ),
        ResponseRow(
            claim: "the other form untried, other date",
            stored: twoForms(),
            response: F.whole { $0.lastModified = F.laterModified },
            outcome: .restartWithBody(.rangeIgnored)
        ),
        ResponseRow(
            claim: "the other form untried, few bytes",
            stored: twoForms(durable: 65_535),
            response: F.whole(),
            outcome: .restartWithBody(.rangeIgnored)
        ),
        ResponseRow(
            claim: "the other form untried, a weak date",
            stored: twoForms(F.validator(isStrong: false)),
            response: F.whole(),
            outcome: .restartWithBody(.rangeIgnored)
        ),
    ]

    @Test(arguments: rows)
    func theOtherFormIsTriedWhereItMayHelp(_ row: ResponseRow) {
        #expect(row.decided == row.outcome)
    }
}
