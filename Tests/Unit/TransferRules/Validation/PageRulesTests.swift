import Core
import HTTPFields
import TestSupport
import Testing
import TransferRules

/// A web page where the client wants another file.
@Suite struct PageRulesTests {
    private typealias F = ResponseFixture

    private static func request(
        _ url: String,
        filename: String? = nil,
        type: String? = nil,
        acceptsHTML: Bool = false
    ) throws -> DownloadRequest {
        try with(DownloadRequest(url: DownloadURL(text: url, scheme: "https", host: "a.example", port: 443, path: "/")))
        {
            $0.filename = try filename.map { try FileName(validating: $0) }
            $0.expected = Expected(mediaType: type.flatMap(MediaType.init))
            $0.acceptsHTML = acceptsHTML
        }
    }

    @Test(
        arguments: [
            ("https://a.example/a.iso", nil, nil), ("https://a.example/x/A.ZIP?sig=1", nil, nil),
            ("https://a.example/get", "a.pdf", nil), ("https://a.example/a.html", "a.pdf", nil),
            ("https://a.example/a.iso", "image", nil), ("https://a.example/get", nil, "application/zip"),
            ("https://a.example/a.html", "a.html", "application/zip"),
        ] as [(String, String?, String?)]
    )
    func aNameOrAnExpectationRefusesAPage(_ url: String, _ filename: String?, _ type: String?) throws {
        #expect(try Self.request(url, filename: filename, type: type).refusesPage)
        #expect(try !Self.request(url, filename: filename, type: type, acceptsHTML: true).refusesPage)
    }

    @Test(
        arguments: [
            ("https://a.example/", nil, nil), ("https://a.example/get", nil, nil),
            ("https://a.example/a.php", nil, nil),
            ("https://a.example/a.aspx", nil, nil), ("https://a.example/index.htm", nil, nil),
            ("https://a.example/v1.2", nil, nil), ("https://a.example/get?file=a.iso", nil, nil),
            ("https://a.example/a.iso", "a.html", nil), ("https://a.example/a.iso", nil, "text/html; charset=utf-8"),
        ] as [(String, String?, String?)]
    )
    func aPageMayBeTheFileOtherwise(_ url: String, _ filename: String?, _ type: String?) throws {
        #expect(try !Self.request(url, filename: filename, type: type).refusesPage)
    }

    private static func refusing(
        _ validator: Validator? = nil,
        durable: Int64 = 0,
        suspectResponses: Int = 0
    ) -> StoredState {
        var state = StoredState(durableBytes: durable, validator: validator, suspectResponses: suspectResponses)
        state.refusesPage = true
        return state
    }

    private static let pagePart = F.part { $0.contentType = "text/html" }

    static let rows = [
        ResponseRow(claim: "first answer", stored: refusing(), response: F.page(), outcome: .fail(.unexpectedPage)),
        ResponseRow(
            claim: "first answer, XHTML",
            stored: refusing(),
            response: F.page { $0.contentType = "application/xhtml+xml" },
            outcome: .fail(.unexpectedPage)
        ),
        ResponseRow(
            claim: "first answer, a file",
            stored: refusing(),
            response: F.whole(),
            outcome: .accept(at: 0, length: F.total)
        ),
        ResponseRow(
            claim: "first answer without a type",
            stored: refusing(),
            response: F.whole { $0.contentType = nil },
            outcome: .accept(at: 0, length: F.total)
        ),
        ResponseRow(
            claim: "a file that is sent as a page",
            stored: refusing(),
            response: F.page { $0.contentDisposition = "attachment; filename=\"a.zip\"" },
            outcome: .accept(at: 0, length: 130)
        ),
        ResponseRow(
            claim: "a page that is sent as one",
            stored: refusing(),
            response: F.page { $0.contentDisposition = "attachment; filename=\"a.html\"" },
            outcome: .fail(.unexpectedPage)
        ),
        ResponseRow(
            claim: "bytes of a file, then a page of another server",
            stored: refusing(F.validator(), durable: F.durable),
            response: F.page(),
            outcome: .suspect(.middlebox)
        ),
        ResponseRow(
            claim: "bytes of a file, then a page that keeps coming",
            stored: refusing(F.validator(), durable: F.durable, suspectResponses: 3),
            response: F.page { $0.etag = "\"p\"" },
            outcome: .fail(.unexpectedPage)
        ),
        ResponseRow(
            claim: "bytes of a page, then another page",
            stored: refusing(F.validator(type: "text/html"), durable: F.durable),
            response: F.page(),
            outcome: .fail(.unexpectedPage)
        ),
        ResponseRow(
            claim: "bytes of a page, then the rest of it",
            stored: refusing(F.validator(type: "text/html"), durable: F.durable),
            response: pagePart,
            outcome: .fail(.unexpectedPage)
        ),
        ResponseRow(
            claim: "bytes of a file, then the rest of the same version",
            stored: refusing(F.validator(), durable: F.durable),
            response: pagePart,
            outcome: .accept(at: F.durable, length: F.total - F.durable)
        ),
        ResponseRow(
            claim: "bytes of a page, then the file",
            stored: refusing(F.validator(type: "text/html"), durable: F.durable),
            response: F.whole { $0.etag = "\"v2\"" },
            outcome: .restartWithBody(.etagChanged)
        ),
    ]

    @Test(arguments: rows)
    func aPageIsRecognisedByItsHead(_ row: ResponseRow) {
        #expect(row.decided == row.outcome)
    }

    @Test func aRefusedPageIsNotRequestedAgain() {
        let decision = ResponseValidation.validate(
            request: SentRequest(),
            stored: Self.refusing(),
            response: F.page()
        )

        guard case .fail(let error) = decision else {
            Issue.record("expected a failure")
            return
        }
        #expect(error.failureClass == .permanent)
        #expect(error.message.contains("text/html") && error.message.contains("accept_html"))
    }

    /// An expired link is replaced before the page counts as the answer.
    @Test(arguments: [(0, ResponseOutcome.suspect(.unexpectedPage)), (3, .fail(.unexpectedPage))])
    func aLinkThatMayHaveExpiredIsReplacedFirst(_ suspectResponses: Int, _ outcome: ResponseOutcome) {
        var state = Self.refusing(suspectResponses: suspectResponses)
        state.expectsNoPage = true
        let row = ResponseRow(claim: "", stored: state, response: F.page(), outcome: outcome)

        #expect(row.decided == row.outcome)
    }
}
