import Core
import Testing
import TransferRules

/// Answers with status 206.
@Suite struct PartialResponseTests {
    private typealias F = ResponseFixture

    private static let dateOnly = F.stored(F.validator(etag: nil))
    private static let weakTag = F.stored(F.validator(etag: "W/\"v1\""))
    private static let nothingStrong = F.stored(F.validator(etag: nil, lastModified: nil), digest: true)
    private static let byDate: StoredState = {
        var state = F.stored()
        state.ifRangeForm = .date
        return state
    }()
    private static let rest: ResponseOutcome = .accept(at: F.durable, length: 1_600_000)

    static let shapeRows = [
        ResponseRow(claim: "the range asked for", response: F.part(), outcome: rest),
        ResponseRow(
            claim: "total untold but known",
            response: F.part { $0.contentRange = "bytes 2400000-3999999/*" },
            outcome: rest
        ),
        ResponseRow(claim: "no Content-Length", response: F.part { $0.contentLength = nil }, outcome: rest),
        ResponseRow(
            claim: "Content-Length beside chunked",
            response: F.part {
                $0.contentLength = 9
                $0.transferEncoding = "chunked"
            },
            outcome: rest
        ),
        ResponseRow(
            claim: "another transfer coding",
            response: F.part { $0.transferEncoding = "gzip" },
            outcome: .retry(.badResponse, .transient(.retries(1)))
        ),
        ResponseRow(
            claim: "fewer bytes",
            response: F.part {
                $0.contentRange = "bytes 2400000-2499999/4000000"
                $0.contentLength = 100_000
            },
            outcome: .accept(at: F.durable, length: 100_000)
        ),
        ResponseRow(
            claim: "multipart",
            response: F.part { $0.contentType = "multipart/byteranges; boundary=x" },
            outcome: .requestWithoutRange(.multipart, flagged: true)
        ),
        ResponseRow(
            claim: "no Content-Range",
            response: F.part { $0.contentRange = nil },
            outcome: .requestWithoutRange(.badContentRange, flagged: true)
        ),
        ResponseRow(
            claim: "garbled Content-Range",
            response: F.part { $0.contentRange = "bytes 5-" },
            outcome: .requestWithoutRange(.badContentRange, flagged: true)
        ),
        ResponseRow(
            claim: "foreign unit",
            response: F.part { $0.contentRange = "items 2400000-3999999/4000000" },
            outcome: .requestWithoutRange(.badContentRange, flagged: true)
        ),
        ResponseRow(
            claim: "unsatisfied form",
            response: F.part { $0.contentRange = "bytes */4000000" },
            outcome: .requestWithoutRange(.badContentRange, flagged: true)
        ),
        ResponseRow(
            claim: "lengths contradict",
            response: F.part { $0.contentLength = 1_600_777 },
            outcome: .requestWithoutRange(.lengthMismatch, flagged: true)
        ),
        ResponseRow(
            claim: "gap",
            response: F.part {
                $0.contentRange = "bytes 2400001-3999999/4000000"
                $0.contentLength = 1_599_999
            },
            outcome: .requestWithoutRange(.rangeMismatch)
        ),
        ResponseRow(
            claim: "ends before",
            response: F.part {
                $0.contentRange = "bytes 0-99/4000000"
                $0.contentLength = 100
            },
            outcome: .requestWithoutRange(.rangeMismatch)
        ),
        ResponseRow(
            claim: "begins early, compared",
            response: F.part {
                $0.contentRange = "bytes 2392064-3999999/4000000"
                $0.contentLength = 1_607_936
            },
            outcome: .accept(at: F.durable, length: 1_607_936, overlap: 7936)
        ),
        ResponseRow(
            claim: "begins early, for a later segment",
            request: SentRequest(
                range: RequestedRange(first: F.durable, last: 3_999_999, condition: F.ifRange),
                segmentIndex: 1
            ),
            response: F.part {
                $0.contentRange = "bytes 2392064-3999999/4000000"
                $0.contentLength = 1_607_936
            },
            outcome: .restart(.rangeMismatch)
        ),
        ResponseRow(
            claim: "whole file as a range",
            response: F.part {
                $0.contentRange = "bytes 0-3999999/4000000"
                $0.contentLength = 4_000_000
            },
            outcome: .restart(.rangeMismatch)
        ),
        ResponseRow(
            claim: "runs past the last byte asked",
            request: SentRequest(
                range: RequestedRange(first: 2_400_000, last: 2_999_999, condition: F.ifRange),
                segmentIndex: 3
            ),
            response: F.part(),
            outcome: .accept(at: F.durable, length: 600_000)
        ),
        ResponseRow(
            claim: "total known to nobody",
            stored: F.stored(F.validator(total: nil)),
            response: F.part { $0.contentRange = "bytes 2400000-3999999/*" },
            outcome: .requestWithoutRange(.totalUnknown)
        ),
        ResponseRow(
            claim: "total learned",
            stored: F.stored(F.validator(total: nil)),
            response: F.part(),
            outcome: rest
        ),
        ResponseRow(
            claim: "nobody asked",
            stored: StoredState(),
            request: SentRequest(),
            response: F.part(),
            outcome: .requestWithoutRange(.unrequestedPartial)
        ),
        ResponseRow(
            claim: "nobody asked, twice",
            stored: StoredState(),
            request: SentRequest(isRepeatWithoutRange: true),
            response: F.part(),
            outcome: .fail(.badResponse)
        ),
    ]

    static let versionRows = [
        ResponseRow(
            claim: "encoded now",
            response: F.part { $0.contentEncoding = "gzip" },
            outcome: .restart(.encodingChanged)
        ),
        ResponseRow(
            claim: "encoded before",
            stored: F.stored(F.validator(encoding: "gzip")),
            response: F.part(),
            outcome: .restart(.encodingChanged)
        ),
        ResponseRow(
            claim: "identity is no encoding",
            response: F.part { $0.contentEncoding = "Identity" },
            outcome: rest
        ),
        ResponseRow(
            claim: "other total",
            response: F.part { $0.contentRange = "bytes 2400000-3999999/4000001" },
            outcome: .restart(.totalChanged)
        ),
        ResponseRow(
            claim: "past the known total",
            response: F.part { $0.contentRange = "bytes 2400000-4000000/*" },
            outcome: .restart(.totalChanged)
        ),
        ResponseRow(claim: "other tag", response: F.part { $0.etag = "\"v2\"" }, outcome: .restart(.etagChanged)),
        ResponseRow(claim: "tag now weak", response: F.part { $0.etag = "W/\"v1\"" }, outcome: .restart(.etagChanged)),
        ResponseRow(claim: "tag gone", response: F.part { $0.etag = nil }, outcome: .restart(.validatorMissing)),
        ResponseRow(claim: "tag malformed", response: F.part { $0.etag = "v1" }, outcome: .restart(.validatorMissing)),
        ResponseRow(
            claim: "tag gone, enough bytes twice and the date agrees",
            stored: F.stored(digest: true),
            response: F.part {
                $0.etag = nil
                $0.contentRange = "bytes 2334464-3999999/4000000"
                $0.contentLength = 1_665_536
            },
            outcome: .restart(.validatorMissing)
        ),
        ResponseRow(
            claim: "nothing strong, too few bytes twice",
            stored: nothingStrong,
            response: F.part {
                $0.etag = nil
                $0.contentRange = "bytes 2334465-3999999/4000000"
                $0.contentLength = 1_665_535
            },
            outcome: .restart(.validatorMissing)
        ),
        ResponseRow(
            claim: "tag gone, date other",
            response: F.part {
                $0.etag = nil
                $0.lastModified = F.laterModified
            },
            outcome: .restart(.lastModifiedChanged)
        ),
        ResponseRow(
            claim: "strong tag outweighs the date",
            response: F.part { $0.lastModified = F.laterModified },
            outcome: rest
        ),
        ResponseRow(claim: "date equal", stored: dateOnly, response: F.part { $0.etag = nil }, outcome: rest),
        ResponseRow(
            claim: "date other",
            stored: dateOnly,
            response: F.part {
                $0.etag = nil
                $0.lastModified = F.laterModified
            },
            outcome: .restart(.lastModifiedChanged)
        ),
        ResponseRow(
            claim: "date unreadable",
            stored: dateOnly,
            response: F.part {
                $0.etag = nil
                $0.lastModified = "x"
            },
            outcome: .restart(.lastModifiedChanged)
        ),
        ResponseRow(
            claim: "date gone",
            stored: dateOnly,
            response: F.part {
                $0.etag = nil
                $0.lastModified = nil
            },
            outcome: .restart(.validatorMissing)
        ),
        ResponseRow(
            claim: "tag where there was none",
            stored: dateOnly,
            response: F.part(),
            outcome: .restart(.etagChanged)
        ),
        ResponseRow(
            claim: "weak tag and date equal",
            stored: weakTag,
            response: F.part { $0.etag = "W/\"v1\"" },
            outcome: rest
        ),
        ResponseRow(
            claim: "weak tag other",
            stored: weakTag,
            response: F.part { $0.etag = "W/\"v2\"" },
            outcome: .restart(.etagChanged)
        ),
        ResponseRow(
            claim: "weak tag gone",
            stored: weakTag,
            response: F.part { $0.etag = nil },
            outcome: .restart(.validatorMissing)
        ),
        ResponseRow(
            claim: "weak tag, date gone",
            stored: weakTag,
            response: F.part {
                $0.etag = "W/\"v1\""
                $0.lastModified = nil
            },
            outcome: .restart(.validatorMissing)
        ),
        ResponseRow(
            claim: "nothing strong, bytes compared",
            stored: nothingStrong,
            response: F.part {
                $0.etag = nil
                $0.lastModified = nil
                $0.contentRange = "bytes 2334464-3999999/4000000"
                $0.contentLength = 1_665_536
            },
            outcome: .accept(at: F.durable, length: 1_665_536, overlap: 65_536)
        ),
        ResponseRow(
            claim: "nothing strong, none compared",
            stored: nothingStrong,
            request: SentRequest(range: RequestedRange(first: F.durable, last: nil, condition: .none(overlap: 0))),
            response: F.part {
                $0.etag = nil
                $0.lastModified = nil
            },
            outcome: .restart(.validatorMissing)
        ),
        ResponseRow(
            claim: "nothing strong, bytes compared, no digest",
            stored: F.stored(F.validator(etag: nil, isStrong: false)),
            request: SentRequest(range: RequestedRange(first: 2_334_464, last: nil, condition: .none(overlap: 65_536))),
            response: F.part {
                $0.etag = nil
                $0.contentRange = "bytes 2334464-3999999/4000000"
                $0.contentLength = 1_665_536
            },
            outcome: .restart(.validatorMissing)
        ),
        ResponseRow(claim: "by its date, tag and date equal", stored: byDate, response: F.part(), outcome: rest),
        ResponseRow(
            claim: "by its date, tag other",
            stored: byDate,
            response: F.part { $0.etag = "\"v2\"" },
            outcome: .restart(.etagChanged)
        ),
        ResponseRow(
            claim: "by its date, date other",
            stored: byDate,
            response: F.part { $0.lastModified = F.laterModified },
            outcome: .restart(.lastModifiedChanged)
        ),
        ResponseRow(
            claim: "by its date, tag gone",
            stored: byDate,
            response: F.part { $0.etag = nil },
            outcome: .restart(.validatorMissing)
        ),
        ResponseRow(
            claim: "by its date, date gone",
            stored: byDate,
            response: F.part { $0.lastModified = nil },
            outcome: rest
        ),
        ResponseRow(
            claim: "validator lost",
            stored: F.stored(nil),
            request: SentRequest(range: RequestedRange(first: F.durable, last: nil, condition: F.ifRange)),
            response: F.part(),
            outcome: .restart(.validatorMissing)
        ),
        ResponseRow(
            claim: "other version from another host",
            response: F.part {
                $0.etag = "\"v2\""
                $0.redirectedToNewHost = true
            },
            outcome: .suspect(.middlebox)
        ),
        ResponseRow(
            claim: "same version from another host",
            response: F.part { $0.redirectedToNewHost = true },
            outcome: rest
        ),
    ]

    @Test(arguments: shapeRows)
    func aPartIsValidatedByItsShape(_ row: ResponseRow) {
        #expect(row.decided == row.outcome)
    }

    @Test(arguments: versionRows)
    func aPartIsValidatedByItsVersion(_ row: ResponseRow) {
        #expect(row.decided == row.outcome)
    }
}
