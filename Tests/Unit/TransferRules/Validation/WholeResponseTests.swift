import Core
import Testing
import TransferRules

/// Answers with status 200, 203, or another one of success.
@Suite struct WholeResponseTests {
    private typealias F = ResponseFixture

    private static let segment = SentRequest(
        range: RequestedRange(first: 3_000_000, last: 3_999_999, condition: F.ifRange),
        segmentIndex: 1
    )
    private static let exhausted = StoredState(durableBytes: F.durable, validator: F.validator(), suspectResponses: 3)
    private static let digest = StoredState(
        durableBytes: F.durable,
        validator: F.validator(),
        expectsDigest: true,
        suspectResponses: 3
    )
    private static let fresh = StoredState()

    private static func renewable(suspectResponses: Int = 0, digest: Bool = false) -> StoredState {
        var state = StoredState(expectsDigest: digest, suspectResponses: suspectResponses)
        state.expectsNoPage = true
        return state
    }

    static let rows = [
        ResponseRow(
            claim: "first answer, a page for a link that may have expired",
            stored: renewable(),
            response: F.page(),
            outcome: .suspect(.unexpectedPage)
        ),
        ResponseRow(
            claim: "first answer, a page that keeps coming",
            stored: renewable(suspectResponses: 3),
            response: F.page(),
            outcome: .accept(at: 0, length: 130)
        ),
        ResponseRow(
            claim: "first answer, a page that keeps coming where a digest decides",
            stored: renewable(suspectResponses: 3, digest: true),
            response: F.page(),
            outcome: .accept(at: 0, length: 130)
        ),
        ResponseRow(
            claim: "first answer, a file for a link that may have expired",
            stored: renewable(),
            response: F.whole(),
            outcome: .accept(at: 0, length: F.total)
        ),
        ResponseRow(
            claim: "first answer",
            stored: fresh,
            response: F.whole(),
            outcome: .accept(at: 0, length: F.total)
        ),
        ResponseRow(
            claim: "first answer, transformed",
            stored: fresh,
            response: F.whole { $0.status = 203 },
            outcome: .accept(at: 0, length: F.total)
        ),
        ResponseRow(
            claim: "first answer, empty file",
            stored: fresh,
            response: F.whole { $0.contentLength = 0 },
            outcome: .accept(at: 0, length: 0)
        ),
        ResponseRow(
            claim: "first answer, a page",
            stored: fresh,
            response: F.page(),
            outcome: .accept(at: 0, length: 130)
        ),
        ResponseRow(
            claim: "first answer, chunked",
            stored: fresh,
            response: F.whole { $0.transferEncoding = "identity, Chunked" },
            outcome: .accept(at: 0, length: nil)
        ),
        ResponseRow(
            claim: "first answer, another coding below the chunks",
            stored: fresh,
            response: F.whole { $0.transferEncoding = "gzip, chunked" },
            outcome: .retry(.badResponse, .transient(.retries(1)))
        ),
        ResponseRow(
            claim: "first answer, end unmarked",
            stored: fresh,
            response: F.whole { $0.contentLength = nil },
            outcome: .acceptUnproven
        ),
        ResponseRow(
            claim: "first answer, coding without an end",
            stored: fresh,
            response: F.whole { $0.transferEncoding = "gzip" },
            outcome: .retry(.badResponse, .transient(.retries(1)))
        ),
        ResponseRow(
            claim: "first answer, negative length",
            stored: fresh,
            response: F.whole { $0.contentLength = -1 },
            outcome: .acceptUnproven
        ),
        ResponseRow(
            claim: "again before any byte was kept",
            stored: F.stored(durable: 0),
            response: F.whole { $0.etag = "\"v2\"" },
            outcome: .accept(at: 0, length: F.total)
        ),
        ResponseRow(
            claim: "empty where bytes were",
            response: F.whole { $0.contentLength = 0 },
            outcome: .retry(.badResponse, .transient(.retries(2)))
        ),
        ResponseRow(
            claim: "empty where a total was",
            stored: F.stored(durable: 0),
            response: F.page { $0.contentLength = 0 },
            outcome: .retry(.badResponse, .transient(.retries(2)))
        ),
        ResponseRow(
            claim: "no content",
            response: F.response(204),
            outcome: .retry(.badResponse, .transient(.retries(2)))
        ),
        ResponseRow(
            claim: "no content at first",
            stored: fresh,
            response: F.response(204),
            outcome: .retry(.badResponse, .transient(.retries(2)))
        ),
        ResponseRow(claim: "page without validators", response: F.page(), outcome: .suspect(.middlebox)),
        ResponseRow(
            claim: "page without validators, again and again",
            stored: exhausted,
            response: F.page(),
            outcome: .suspect(.middlebox)
        ),
        ResponseRow(
            claim: "page from another host",
            response: F.page {
                $0.etag = "\"p\""
                $0.redirectedToNewHost = true
            },
            outcome: .suspect(.middlebox)
        ),
        ResponseRow(
            claim: "page with a validator",
            response: F.page { $0.etag = "\"p\"" },
            outcome: .suspect(.unexpectedPage)
        ),
        ResponseRow(
            claim: "page with a validator, fourth",
            stored: exhausted,
            response: F.page { $0.etag = "\"p\"" },
            outcome: .restartWithBody(.totalChanged)
        ),
        ResponseRow(
            claim: "page with a validator, digest known",
            stored: digest,
            response: F.page { $0.etag = "\"p\"" },
            outcome: .suspect(.unexpectedPage)
        ),
        ResponseRow(
            claim: "page where a page was",
            stored: F.stored(F.validator(type: "text/html")),
            response: F.page(),
            outcome: .restartWithBody(.totalChanged)
        ),
        ResponseRow(claim: "page for a segment", request: segment, response: F.page(), outcome: .suspect(.middlebox)),
        ResponseRow(
            claim: "other version from another host",
            response: F.whole {
                $0.etag = "\"v2\""
                $0.redirectedToNewHost = true
            },
            outcome: .suspect(.middlebox)
        ),
        ResponseRow(
            claim: "other version from another host, fourth",
            stored: exhausted,
            response: F.whole {
                $0.etag = "\"v2\""
                $0.redirectedToNewHost = true
            },
            outcome: .restartWithBody(.etagChanged)
        ),
        ResponseRow(claim: "segment, same version", request: segment, response: F.whole(), outcome: .collapse),
        ResponseRow(
            claim: "segment, other version",
            request: segment,
            response: F.whole { $0.etag = "\"v2\"" },
            outcome: .restart(.etagChanged)
        ),
        ResponseRow(
            claim: "segment, validator lost",
            stored: F.stored(nil),
            request: segment,
            response: F.whole(),
            outcome: .restart(.validatorMissing)
        ),
        ResponseRow(claim: "range ignored", response: F.whole(), outcome: .restartWithBody(.rangeIgnored)),
        ResponseRow(
            claim: "range ignored, transformed",
            response: F.whole { $0.status = 203 },
            outcome: .restartWithBody(.rangeIgnored)
        ),
        ResponseRow(
            claim: "asked plainly, same version",
            request: SentRequest(),
            response: F.whole(),
            outcome: .restartWithBody(.notResumable)
        ),
        ResponseRow(
            claim: "nothing strong was stored",
            stored: F.stored(F.validator(etag: nil, lastModified: nil)),
            response: F.whole {
                $0.etag = nil
                $0.lastModified = nil
            },
            outcome: .restartWithBody(.notResumable)
        ),
        ResponseRow(
            claim: "validator lost",
            stored: F.stored(nil),
            response: F.whole(),
            outcome: .restartWithBody(.notResumable)
        ),
        ResponseRow(
            claim: "other tag",
            response: F.whole { $0.etag = "\"v2\"" },
            outcome: .restartWithBody(.etagChanged)
        ),
        ResponseRow(
            claim: "tag gone",
            response: F.whole { $0.etag = nil },
            outcome: .restartWithBody(.validatorMissing)
        ),
        ResponseRow(
            claim: "other length",
            response: F.whole {
                $0.contentLength = F.durable
                $0.etag = "\"v2\""
            },
            outcome: .restartWithBody(.totalChanged)
        ),
        ResponseRow(
            claim: "other length of the same version",
            response: F.whole { $0.contentLength = F.durable },
            outcome: .requestWithoutRange(.maybePart)
        ),
        ResponseRow(
            claim: "as long as the rest",
            response: F.whole { $0.contentLength = F.total - F.durable },
            outcome: .requestWithoutRange(.maybePart, flagged: true)
        ),
        ResponseRow(
            claim: "as long as the rest, of another version",
            response: F.whole {
                $0.contentLength = F.total - F.durable
                $0.etag = "\"v2\""
            },
            outcome: .requestWithoutRange(.maybePart, flagged: true)
        ),
        ResponseRow(
            claim: "as long as the rest, asked plainly",
            request: SentRequest(isRepeatWithoutRange: true),
            response: F.whole { $0.contentLength = F.total - F.durable },
            outcome: .restartWithBody(.totalChanged)
        ),
        ResponseRow(
            claim: "of no length, range asked",
            response: F.whole { $0.transferEncoding = "chunked" },
            outcome: .requestWithoutRange(.maybePart)
        ),
        ResponseRow(
            claim: "of no length where none was known",
            stored: F.stored(F.validator(total: nil)),
            response: F.whole { $0.transferEncoding = "chunked" },
            outcome: .requestWithoutRange(.maybePart)
        ),
        ResponseRow(
            claim: "of no length, asked plainly",
            request: SentRequest(isRepeatWithoutRange: true),
            response: F.whole { $0.transferEncoding = "chunked" },
            outcome: .restartWithBody(.notResumable)
        ),
        ResponseRow(
            claim: "a length where none was known",
            stored: F.stored(F.validator(total: nil)),
            response: F.whole(),
            outcome: .requestWithoutRange(.maybePart)
        ),
        ResponseRow(
            claim: "as long as a segment",
            request: segment,
            response: F.whole { $0.contentLength = 1_000_000 },
            outcome: .requestWithoutRange(.maybePart, flagged: true)
        ),
        ResponseRow(
            claim: "other encoding",
            response: F.whole { $0.contentEncoding = "gzip" },
            outcome: .restartWithBody(.encodingChanged)
        ),
        ResponseRow(
            claim: "other date",
            stored: F.stored(F.validator(etag: nil)),
            response: F.whole {
                $0.etag = nil
                $0.lastModified = F.laterModified
            },
            outcome: .restartWithBody(.lastModifiedChanged)
        ),
        ResponseRow(
            claim: "a part as the file, range asked",
            response: F.whole { $0.contentRange = "bytes 50-3999999/4000000" },
            outcome: .requestWithoutRange(.badContentRange, flagged: true)
        ),
        ResponseRow(
            claim: "a part as the file at first",
            stored: fresh,
            response: F.whole { $0.contentRange = "bytes 50-3999999/4000000" },
            outcome: .retry(.badResponse, .transient(.retries(1)))
        ),
        ResponseRow(
            claim: "the whole, said twice",
            stored: fresh,
            response: F.whole { $0.contentRange = "bytes 0-3999999/4000000" },
            outcome: .accept(at: 0, length: F.total)
        ),
    ]

    @Test(arguments: rows)
    func aWholeFileIsValidated(_ row: ResponseRow) {
        #expect(row.decided == row.outcome)
    }

    @Test(arguments: [201, 202, 205, 207, 208, 226, 299])
    func noOtherSuccessCarriesAFile(_ status: Int) {
        let row = ResponseRow(
            claim: "",
            stored: Self.fresh,
            response: F.response(status),
            outcome: .retry(.badResponse, .transient(.retries(1)))
        )

        #expect(row.decided == row.outcome)
    }

    @Test func anAcceptedAnswerBringsItsValidator() {
        let decision = ResponseValidation.validate(request: SentRequest(), stored: Self.fresh, response: F.whole())

        guard case .accept(let acceptance) = decision else {
            Issue.record("expected an acceptance")
            return
        }
        #expect(acceptance.validator == F.validator())
    }
}
