import Core
import Testing
import TransferRules

/// A 200 in answer to a range of the same version, from a host that may look at the other form of `If-Range`.
@Suite struct OtherIfRangeTests {
    private typealias F = GateFixture

    private static let segment = RequestAsked(
        range: AskedRange(first: 3_000_000, last: 3_999_999, condition: F.ifRange),
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
        GateRow(claim: "the other form untried", stored: twoForms(), response: F.whole(), outcome: .askOtherwise),
        GateRow(
            claim: "the other form untried, for a segment",
            stored: twoForms(),
            asked: segment,
            response: F.whole(),
            outcome: .askOtherwise
        ),
        GateRow(
            claim: "the other form untried, of no length",
            stored: twoForms(),
            response: F.whole { $0.transferEncoding = "chunked" },
            outcome: .askOtherwise
        ),
        GateRow(
            claim: "the other form untried, other tag",
            stored: twoForms(),
            response: F.whole { $0.etag = "\"v2\"" },
            outcome: .restartWithBody(.etagChanged)
        ),
        GateRow(
            claim: "the other form untried, other date",
            stored: twoForms(),
            response: F.whole { $0.lastModified = F.laterModified },
            outcome: .restartWithBody(.rangeIgnored)
        ),
        GateRow(
            claim: "the other form untried, few bytes",
            stored: twoForms(durable: 65_535),
            response: F.whole(),
            outcome: .restartWithBody(.rangeIgnored)
        ),
        GateRow(
            claim: "the other form untried, a weak date",
            stored: twoForms(F.validator(isStrong: false)),
            response: F.whole(),
            outcome: .restartWithBody(.rangeIgnored)
        ),
    ]

    @Test(arguments: rows)
    func theOtherFormIsTriedWhereItMayHelp(_ row: GateRow) {
        #expect(row.decided == row.outcome)
    }
}
