import Core
import Testing
import TransferRules

/// Answers with status 206.
@Suite struct PartialResponseTests {
    private typealias F = GateFixture

    private static let dateOnly = F.stored(F.validator(etag: nil))
    private static let weakTag = F.stored(F.validator(etag: "W/\"v1\""))
    private static let nothingStrong = F.stored(F.validator(etag: nil, lastModified: nil), digest: true)
    private static let byDate: StoredState = {
        var state = F.stored()
        state.ifRangeForm = .date
        return state
    }()
    private static let rest: GateOutcome = .accept(at: F.durable, length: 1_600_000)

    static let shapeRows = [
        GateRow(claim: "the range asked for", response: F.part(), outcome: rest),
        GateRow(
            claim: "total untold but known",
            response: F.part { $0.contentRange = "bytes 2400000-3999999/*" },
            outcome: rest
        ),
        GateRow(claim: "no Content-Length", response: F.part { $0.contentLength = nil }, outcome: rest),
        GateRow(
            claim: "Content-Length beside chunked",
            response: F.part {
                $0.contentLength = 9
                $0.transferEncoding = "chunked"
            },
            outcome: rest
        ),
        GateRow(
            claim: "another transfer coding",
            response: F.part { $0.transferEncoding = "gzip" },
            outcome: .retry(.badResponse, .transient(.tries(1)))
        ),
        GateRow(
            claim: "fewer bytes",
            response: F.part {
                $0.contentRange = "bytes 2400000-2499999/4000000"
                $0.contentLength = 100_000
            },
            outcome: .accept(at: F.durable, length: 100_000)
        ),
        GateRow(
            claim: "multipart",
            response: F.part { $0.contentType = "multipart/byteranges; boundary=x" },
            outcome: .askPlain(.multipart, flagged: true)
        ),
        GateRow(
            claim: "no Content-Range",
            response: F.part { $0.contentRange = nil },
            outcome: .askPlain(.badContentRange, flagged: true)
        ),
        GateRow(
            claim: "garbled Content-Range",
            response: F.part { $0.contentRange = "bytes 5-" },
            outcome: .askPlain(.badContentRange, flagged: true)
        ),
        GateRow(
            claim: "foreign unit",
            response: F.part { $0.contentRange = "items 2400000-3999999/4000000" },
            outcome: .askPlain(.badContentRange, flagged: true)
        ),
        GateRow(
            claim: "unsatisfied form",
            response: F.part { $0.contentRange = "bytes */4000000" },
            outcome: .askPlain(.badContentRange, flagged: true)
        ),
        GateRow(
            claim: "lengths contradict",
            response: F.part { $0.contentLength = 1_600_777 },
            outcome: .askPlain(.lengthMismatch, flagged: true)
        ),
        GateRow(
            claim: "gap",
            response: F.part {
                $0.contentRange = "bytes 2400001-3999999/4000000"
                $0.contentLength = 1_599_999
            },
            outcome: .askPlain(.rangeMismatch)
        ),
        GateRow(
            claim: "ends before",
            response: F.part {
                $0.contentRange = "bytes 0-99/4000000"
                $0.contentLength = 100
            },
            outcome: .askPlain(.rangeMismatch)
        ),
        GateRow(
            claim: "begins early, compared",
            response: F.part {
                $0.contentRange = "bytes 2392064-3999999/4000000"
                $0.contentLength = 1_607_936
            },
            outcome: .accept(at: F.durable, length: 1_607_936, overlap: 7936)
        ),
        GateRow(
            claim: "begins early, for a later segment",
            asked: RequestAsked(
                range: AskedRange(first: F.durable, last: 3_999_999, condition: F.ifRange),
                segmentIndex: 1
            ),
            response: F.part {
                $0.contentRange = "bytes 2392064-3999999/4000000"
                $0.contentLength = 1_607_936
            },
            outcome: .restart(.rangeMismatch)
        ),
        GateRow(
            claim: "whole file as a range",
            response: F.part {
                $0.contentRange = "bytes 0-3999999/4000000"
                $0.contentLength = 4_000_000
            },
            outcome: .restart(.rangeMismatch)
        ),
        GateRow(
            claim: "runs past the last byte asked",
            asked: RequestAsked(
                range: AskedRange(first: 2_400_000, last: 2_999_999, condition: F.ifRange),
                segmentIndex: 3
            ),
            response: F.part(),
            outcome: .accept(at: F.durable, length: 600_000)
        ),
        GateRow(
            claim: "total known to nobody",
            stored: F.stored(F.validator(total: nil)),
            response: F.part { $0.contentRange = "bytes 2400000-3999999/*" },
            outcome: .askPlain(.totalUnknown)
        ),
        GateRow(claim: "total learned", stored: F.stored(F.validator(total: nil)), response: F.part(), outcome: rest),
        GateRow(
            claim: "nobody asked",
            stored: StoredState(),
            asked: RequestAsked(),
            response: F.part(),
            outcome: .askPlain(.unrequestedPartial)
        ),
        GateRow(
            claim: "nobody asked, twice",
            stored: StoredState(),
            asked: RequestAsked(isPlainRepeat: true),
            response: F.part(),
            outcome: .fail(.badResponse)
        ),
    ]

    static let versionRows = [
        GateRow(
            claim: "encoded now",
            response: F.part { $0.contentEncoding = "gzip" },
            outcome: .restart(.encodingChanged)
        ),
        GateRow(
            claim: "encoded before",
            stored: F.stored(F.validator(encoding: "gzip")),
            response: F.part(),
            outcome: .restart(.encodingChanged)
        ),
        GateRow(claim: "identity is no encoding", response: F.part { $0.contentEncoding = "Identity" }, outcome: rest),
        GateRow(
            claim: "other total",
            response: F.part { $0.contentRange = "bytes 2400000-3999999/4000001" },
            outcome: .restart(.totalChanged)
        ),
        GateRow(
            claim: "past the known total",
            response: F.part { $0.contentRange = "bytes 2400000-4000000/*" },
            outcome: .restart(.totalChanged)
        ),
        GateRow(claim: "other tag", response: F.part { $0.etag = "\"v2\"" }, outcome: .restart(.etagChanged)),
        GateRow(claim: "tag now weak", response: F.part { $0.etag = "W/\"v1\"" }, outcome: .restart(.etagChanged)),
        GateRow(claim: "tag gone", response: F.part { $0.etag = nil }, outcome: .restart(.validatorMissing)),
        GateRow(claim: "tag malformed", response: F.part { $0.etag = "v1" }, outcome: .restart(.validatorMissing)),
        GateRow(
            claim: "tag gone, enough bytes twice and the date agrees",
            stored: F.stored(digest: true),
            response: F.part {
                $0.etag = nil
                $0.contentRange = "bytes 2334464-3999999/4000000"
                $0.contentLength = 1_665_536
            },
            outcome: .restart(.validatorMissing)
        ),
        GateRow(
            claim: "nothing strong, too few bytes twice",
            stored: nothingStrong,
            response: F.part {
                $0.etag = nil
                $0.contentRange = "bytes 2334465-3999999/4000000"
                $0.contentLength = 1_665_535
            },
            outcome: .restart(.validatorMissing)
        ),
        GateRow(
            claim: "tag gone, date other",
            response: F.part {
                $0.etag = nil
                $0.lastModified = F.laterModified
            },
            outcome: .restart(.lastModifiedChanged)
        ),
        GateRow(
            claim: "strong tag outweighs the date",
            response: F.part { $0.lastModified = F.laterModified },
            outcome: rest
        ),
        GateRow(claim: "date equal", stored: dateOnly, response: F.part { $0.etag = nil }, outcome: rest),
        GateRow(
            claim: "date other",
            stored: dateOnly,
            response: F.part {
                $0.etag = nil
                $0.lastModified = F.laterModified
            },
            outcome: .restart(.lastModifiedChanged)
        ),
        GateRow(
            claim: "date unreadable",
            stored: dateOnly,
            response: F.part {
                $0.etag = nil
                $0.lastModified = "x"
            },
            outcome: .restart(.lastModifiedChanged)
        ),
        GateRow(
            claim: "date gone",
            stored: dateOnly,
            response: F.part {
                $0.etag = nil
                $0.lastModified = nil
            },
            outcome: .restart(.validatorMissing)
        ),
        GateRow(
            claim: "tag where there was none",
            stored: dateOnly,
            response: F.part(),
            outcome: .restart(.etagChanged)
        ),
        GateRow(
            claim: "weak tag and date equal",
            stored: weakTag,
            response: F.part { $0.etag = "W/\"v1\"" },
            outcome: rest
        ),
        GateRow(
            claim: "weak tag other",
            stored: weakTag,
            response: F.part { $0.etag = "W/\"v2\"" },
            outcome: .restart(.etagChanged)
        ),
        GateRow(
            claim: "weak tag gone",
            stored: weakTag,
            response: F.part { $0.etag = nil },
            outcome: .restart(.validatorMissing)
        ),
        GateRow(
            claim: "weak tag, date gone",
            stored: weakTag,
            response: F.part {
                $0.etag = "W/\"v1\""
                $0.lastModified = nil
            },
            outcome: .restart(.validatorMissing)
        ),
        GateRow(
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
        GateRow(
            claim: "nothing strong, none compared",
            stored: nothingStrong,
            asked: RequestAsked(range: AskedRange(first: F.durable, last: nil, condition: .none(overlap: 0))),
            response: F.part {
                $0.etag = nil
                $0.lastModified = nil
            },
            outcome: .restart(.validatorMissing)
        ),
        GateRow(
            claim: "nothing strong, bytes compared, no digest",
            stored: F.stored(F.validator(etag: nil, isStrong: false)),
            asked: RequestAsked(range: AskedRange(first: 2_334_464, last: nil, condition: .none(overlap: 65_536))),
            response: F.part {
                $0.etag = nil
                $0.contentRange = "bytes 2334464-3999999/4000000"
                $0.contentLength = 1_665_536
            },
            outcome: .restart(.validatorMissing)
        ),
        GateRow(claim: "by its date, tag and date equal", stored: byDate, response: F.part(), outcome: rest),
        GateRow(
            claim: "by its date, tag other",
            stored: byDate,
            response: F.part { $0.etag = "\"v2\"" },
            outcome: .restart(.etagChanged)
        ),
        GateRow(
            claim: "by its date, date other",
            stored: byDate,
            response: F.part { $0.lastModified = F.laterModified },
            outcome: .restart(.lastModifiedChanged)
        ),
        GateRow(
            claim: "by its date, tag gone",
            stored: byDate,
            response: F.part { $0.etag = nil },
            outcome: .restart(.validatorMissing)
        ),
        GateRow(
            claim: "by its date, date gone",
            stored: byDate,
            response: F.part { $0.lastModified = nil },
            outcome: rest
        ),
        GateRow(
            claim: "validator lost",
            stored: F.stored(nil),
            asked: RequestAsked(range: AskedRange(first: F.durable, last: nil, condition: F.ifRange)),
            response: F.part(),
            outcome: .restart(.validatorMissing)
        ),
        GateRow(
            claim: "other version from another host",
            response: F.part {
                $0.etag = "\"v2\""
                $0.redirectedToNewHost = true
            },
            outcome: .suspect(.middlebox)
        ),
        GateRow(
            claim: "same version from another host",
            response: F.part { $0.redirectedToNewHost = true },
            outcome: rest
        ),
    ]

    @Test(arguments: shapeRows)
    func aPartIsJudgedByItsShape(_ row: GateRow) {
        #expect(row.decided == row.outcome)
    }

    @Test(arguments: versionRows)
    func aPartIsJudgedByItsVersion(_ row: GateRow) {
        #expect(row.decided == row.outcome)
    }
}
