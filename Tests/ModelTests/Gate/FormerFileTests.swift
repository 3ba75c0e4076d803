import Core
import Testing
import TransferRules

/// The first answer after the bytes of a file are gone, and what it was is known.
@Suite struct FormerFileTests {
    private typealias F = GateFixture

    private static func former(type: String? = "application/zip", suspectAnswers: Int = 0) -> StoredState {
        var state = StoredState(suspectAnswers: suspectAnswers)
        state.former = F.validator(type: type)
        return state
    }

    static let rows = [
        GateRow(
            claim: "a page for a file that was",
            stored: former(),
            response: F.page(),
            outcome: .suspect(.middlebox)
        ),
        GateRow(
            claim: "a page with a validator for a file that was",
            stored: former(),
            response: F.page { $0.etag = "\"p\"" },
            outcome: .suspect(.unexpectedPage)
        ),
        GateRow(
            claim: "a page with a validator for a file that was, fourth",
            stored: former(suspectAnswers: 3),
            response: F.page { $0.etag = "\"p\"" },
            outcome: .accept(at: 0, length: 130)
        ),
        GateRow(
            claim: "a page for a page that was",
            stored: former(type: "text/html"),
            response: F.page(),
            outcome: .accept(at: 0, length: 130)
        ),
        GateRow(
            claim: "another file for a file that was",
            stored: former(),
            response: F.whole { $0.etag = "\"v2\"" },
            outcome: .accept(at: 0, length: F.total)
        ),
        GateRow(
            claim: "nothing for a file that was",
            stored: former(),
            response: F.whole { $0.contentLength = 0 },
            outcome: .retry(.badResponse, .transient(.tries(2)))
        ),
    ]

    @Test(arguments: rows)
    func anAnswerIsHeldAgainstWhatTheFileWas(_ row: GateRow) {
        #expect(row.decided == row.outcome)
    }
}
