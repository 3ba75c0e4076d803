import Core
import Testing
import TransferRules

@Suite struct ResumePlanTests {
    private typealias F = ResponseFixture

    private static let tag = F.validator().etag
    private static let date = F.validator().lastModified

    /// What kind of request a plan asks for.
    enum Mode: Sendable {
        case plain, validated, validatedDate, overlap, complete

        init(_ plan: ResumePlan) {
            switch plan {
            case .plain: self = .plain
            case .range(_, _, .ifRange), .range(_, _, .ifRangeDate): self = .validated
            case .range(_, _, .ifUnmodifiedSince): self = .validatedDate
            case .range(_, _, .none): self = .overlap
            case .complete: self = .complete
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let stored: StoredState
        let mode: Mode
        var from: Int64?
    }

    private static let weakDate = F.validator(etag: nil, isStrong: false)

    static let rows = [
        Row(testDescription: "nothing yet", stored: StoredState(), mode: .plain),
        Row(testDescription: "no byte kept", stored: F.stored(durable: 0), mode: .plain),
        Row(testDescription: "strong tag", stored: F.stored(), mode: .validated, from: F.durable),
        Row(
            testDescription: "strong date",
            stored: F.stored(F.validator(etag: nil)),
            mode: .validated,
            from: F.durable
        ),
        Row(
            testDescription: "weak tag, strong date",
            stored: F.stored(F.validator(etag: "W/\"v1\"")),
            mode: .validatedDate,
            from: F.durable
        ),
        Row(
            testDescription: "weak tag, weak date",
            stored: F.stored(F.validator(etag: "W/\"v1\"", isStrong: false)),
            mode: .plain
        ),
        Row(
            testDescription: "weak tag, weak date, digest",
            stored: F.stored(F.validator(etag: "W/\"v1\"", isStrong: false), digest: true),
            mode: .overlap,
            from: F.durable - 65_536
        ),
        Row(testDescription: "weak date", stored: F.stored(weakDate), mode: .plain),
        Row(
            testDescription: "weak date, digest",
            stored: F.stored(weakDate, digest: true),
            mode: .overlap,
            from: F.durable - 65_536
        ),
        Row(
            testDescription: "a date of every version",
            stored: F.stored(F.validator(etag: nil, lastModified: F.epoch)),
            mode: .plain
        ),
        Row(
            testDescription: "a tag that is made of a date of every version",
            stored: F.stored(F.validator(etag: "\"1-3d0900\"", lastModified: F.epoch)),
            mode: .plain
        ),
        Row(
            testDescription: "another tag, and a date of every version",
            stored: F.stored(F.validator(lastModified: F.epoch)),
            mode: .validated,
            from: F.durable
        ),
        Row(
            testDescription: "a date of every version, digest",
            stored: F.stored(F.validator(etag: nil, lastModified: F.epoch), digest: true),
            mode: .overlap,
            from: F.durable - 65_536
        ),
        Row(
            testDescription: "few bytes, digest",
            stored: F.stored(weakDate, durable: 10, digest: true),
            mode: .overlap,
            from: 0
        ),
        Row(
            testDescription: "host without ranges",
            stored: StoredState(durableBytes: 5, validator: F.validator(), hostHasNoRanges: true),
            mode: .plain
        ),
        Row(
            testDescription: "host without ranges, all there",
            stored: StoredState(durableBytes: F.total, validator: F.validator(), hostHasNoRanges: true),
            mode: .complete
        ),
        Row(testDescription: "validator lost", stored: F.stored(nil), mode: .plain),
        Row(testDescription: "all there", stored: F.stored(durable: F.total), mode: .complete),
        Row(testDescription: "more than all there", stored: F.stored(durable: F.total + 1), mode: .plain),
    ]

    @Test(arguments: rows)
    func theLadderDecidesWhatToAsk(_ row: Row) {
        let plan = ResumePlan(resuming: row.stored)

        #expect(Mode(plan) == row.mode)
        guard case .range(let from, let through, let condition) = plan else {
            #expect(row.from == nil)
            return
        }
        #expect(from == row.from)
        #expect(from + condition.overlap == row.stored.durableBytes)
        #expect(through == row.stored.total.map { $0 - 1 })
    }

    @Test func theConditionIsTheStrongestThatMayBeSent() throws {
        let tag = try #require(Self.tag)
        let date = try #require(Self.date)

        #expect(ResumePlan(resuming: F.stored()).condition == .ifRange(tag))
        #expect(ResumePlan(resuming: F.stored(F.validator(etag: nil))).condition == .ifRangeDate(date))
        #expect(ResumePlan(resuming: F.stored(F.validator(etag: "W/\"v1\""))).condition == .ifUnmodifiedSince(date))
    }

    @Test func aHostThatIgnoresTagsIsAskedByTheDateWhereItIsStrong() throws {
        let tag = try #require(Self.tag)
        let date = try #require(Self.date)
        var (both, tagAlone, weakDate) = (
            F.stored(), F.stored(F.validator(lastModified: nil)), F.stored(F.validator(isStrong: false))
        )
        both.ifRangeForm = .date
        tagAlone.ifRangeForm = .date
        weakDate.ifRangeForm = .date

        #expect(ResumePlan(resuming: both).condition == .ifRangeDate(date))
        #expect(ResumePlan(resuming: tagAlone).condition == .ifRange(tag))
        #expect(ResumePlan(resuming: weakDate).condition == .ifRange(tag))
    }

    @Test func aSegmentAsksForItsOwnPart() throws {
        let tag = try #require(Self.tag)

        let plan = ResumePlan(resuming: F.stored(), at: 3_000_000, through: 3_499_999)

        #expect(plan == .range(from: 3_000_000, through: 3_499_999, condition: .ifRange(tag)))
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:50:37 GMT", true), ("Sun, 06 Nov 1994 08:50:36 GMT", false),
            ("Sun, 06 Nov 1994 08:00:00 GMT", false), (nil, false), ("garbage", false),
        ] as [(String?, Bool)]
    )
    func aDateIsStrongWhenItWasAMinuteOld(_ responseDate: String?, isStrong: Bool) {
        let response = F.whole { $0.date = responseDate }

        #expect(Validator(response, total: nil).isLastModifiedStrong == isStrong)
    }
}

/// The first answer after the bytes of a file are gone, and what it was is known.
@Suite struct PreviousFileTests {
    private typealias F = ResponseFixture

    private static func previous(type: String? = "application/zip", suspectResponses: Int = 0) -> StoredState {
        var state = StoredState(suspectResponses: suspectResponses)
        state.previousFile = F.validator(type: type)
        return state
    }

    static let rows = [
        ResponseRow(
            claim: "a page for a file that was",
            stored: previous(),
            response: F.page(),
            outcome: .suspect(.middlebox)
        ),
        ResponseRow(
            claim: "a page with a validator for a file that was",
            stored: previous(),
            response: F.page { $0.etag = "\"p\"" },
            outcome: .suspect(.unexpectedPage)
        ),
        ResponseRow(
            claim: "a page with a validator for a file that was, fourth",
            stored: previous(suspectResponses: 3),
            response: F.page { $0.etag = "\"p\"" },
            outcome: .accept(at: 0, length: 130)
        ),
        ResponseRow(
            claim: "a page for a page that was",
            stored: previous(type: "text/html"),
            response: F.page(),
            outcome: .accept(at: 0, length: 130)
        ),
        ResponseRow(
            claim: "another file for a file that was",
            stored: previous(),
            response: F.whole { $0.etag = "\"v2\"" },
            outcome: .accept(at: 0, length: F.total)
        ),
        ResponseRow(
            claim: "nothing for a file that was",
            stored: previous(),
            response: F.whole { $0.contentLength = 0 },
            outcome: .retry(.badResponse, .transient(.retries(2)))
        ),
    ]

    @Test(arguments: rows)
    func anAnswerIsHeldAgainstWhatTheFileWas(_ row: ResponseRow) {
        #expect(row.decided == row.outcome)
    }
}
