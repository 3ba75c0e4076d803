import Core
import TestSupport
import Testing
import TransferRules

@Suite struct URLRefreshRulesTests {
    @Test(
        arguments: [
            (401, true), (403, true), (410, true), (404, false), (407, false), (400, false), (500, false), (503, false),
        ]
    )
    func aLinkIsToBlameForSomeStatuses(_ status: Int, _ concerns: Bool) {
        #expect(URLRefreshRules.concerns(DownloadError(httpStatus: status), isSuspect: false) == concerns)
    }

    @Test func aLinkIsToBlameForWhatIsNotTheFile() {
        let page = DownloadError(.badResponse, message: "a page", httpStatus: 200)

        #expect(URLRefreshRules.concerns(page, isSuspect: true))
        #expect(!URLRefreshRules.concerns(page, isSuspect: false))
    }

    /// Credentials that cannot be read have the code of a refusal, and no link mends them.
    @Test func aRefusalWithoutAResponseTriggersNoURLRefresh() {
        #expect(!URLRefreshRules.concerns(DownloadError(.authRequired, message: "no key"), isSuspect: false))
    }

    private static func download(_ attempts: Download.Attempts, fails: Bool = true) -> Download {
        let now = Timestamp(milliseconds: 0)
        let url = DownloadURL(text: "http://a.example/", scheme: "http", host: "a.example", port: 80, path: "/")
        let failure = DownloadFailure(error: DownloadError(httpStatus: 403), isRetried: true, attempt: 1, at: now)
        return with(
            with(
                Download(
                    id: DownloadID(at: now),
                    request: DownloadRequest(url: url),
                    state: .running,
                    times: Download.Times(createdAt: now, deadlineAt: now)
                )
            ) { $0.error = fails ? failure : nil }
        ) { $0.attempts = attempts }
    }

    private static func delay(_ download: Download, madeProgress: Bool) -> Duration {
        URLRefreshRules.delay(download, madeProgress: madeProgress, policy: RetryPolicy(), random: 0.5)
    }

    @Test(arguments: [true, false])
    func theFirstNewLinkIsFollowedAtOnce(madeProgress: Bool) {
        #expect(Self.delay(Self.download(.init(), fails: false), madeProgress: madeProgress) == .zero)
        #expect(Self.delay(Self.download(with(.init()) { $0.sameFailures = 1 }), madeProgress: madeProgress) == .zero)
    }

    /// The base of the back-off is a second, its floor a quarter of one.
    @Test(arguments: [(0, true, 250), (1, true, 250), (1, false, 1000), (2, false, 2000)])
    func theNextOneIsNot(_ urlRefreshes: Int, _ madeProgress: Bool, _ milliseconds: Int) {
        let download = Self.download(with(.init()) { $0.urlRefreshes = urlRefreshes })

        #expect(Self.delay(download, madeProgress: madeProgress) == .milliseconds(milliseconds))
    }

    @Test func aRefusalStandsIfNoURLCanBeObtained() throws {
        let trouble = DownloadError(.destinationForbidden, message: "not allowed")
        let remaining = try #require(
            URLRefreshRules.remaining(of: TransferFailure(DownloadError(httpStatus: 401)), after: trouble)
        )

        #expect(remaining.failureClass == .credentials && remaining.error.code == .authRequired)
        #expect(remaining.error.httpStatus == 401 && remaining.error.message == "not allowed")
        #expect(URLRefreshRules.remaining(of: TransferFailure(DownloadError(httpStatus: 410)), after: trouble) == nil)
    }

    @Test(
        arguments: [
            (400, nil), (401, nil), (403, nil), (410, nil), (422, nil),
            (404, .transient(.notFound)), (429, .transient(.untilGivenUp)), (503, .transient(.untilGivenUp)),
            (204, .transient(.retries(2))), (302, .transient(.retries(2))), (501, .transient(.retries(2))),
        ] as [(Int, FailureClass?)]
    )
    func aRefreshServerWithoutAURLDiffersFromOneInTrouble(_ status: Int, _ expected: FailureClass?) {
        #expect(URLRefreshRules.failureClass(status: status) == expected)
    }
}

struct AttemptsTests {
    @Test(
        arguments: [
            ([(.timeout, false)], 1, 1),
            ([(.timeout, false), (.timeout, false), (.timeout, false)], 3, 3),
            ([(.timeout, false), (.timeout, false), (.dnsFailure, false)], 3, 1),
            ([(.timeout, false), (.timeout, false), (.timeout, true)], 0, 1),
            ([(.timeout, true), (.timeout, false)], 1, 2),
        ] as [([(DownloadError.Code, Bool)], Int, Int)]
    )
    func failuresInARowAreCountedUntilOneBringsBytes(
        _ failures: [(DownloadError.Code, Bool)],
        _ withoutProgress: Int,
        _ same: Int
    ) {
        var attempts = Download.Attempts()
        var last: DownloadError.Code?
        for (code, madeProgress) in failures {
            attempts.record(code, after: last, madeProgress: madeProgress)
            last = code
        }

        #expect(attempts.withoutProgress == withoutProgress)
        #expect(attempts.sameFailures == same)
    }

    @Test func everyWrongFileCountsWhateverCameInBetween() {
        var attempts = Download.Attempts()
        attempts.record(.checksumMismatch, after: nil, madeProgress: true)
        attempts.record(.timeout, after: .checksumMismatch, madeProgress: true)
        attempts.record(.checksumMismatch, after: .timeout, madeProgress: true)

        #expect(attempts.failures(with: .checksumMismatch) == 2)
        #expect(attempts.failures(with: .timeout) == 1)
    }
}

struct DownloadRequestPagesTests {
    private static func request(
        _ url: String,
        filename: String? = nil,
        refreshURL: DownloadURL?
    ) throws -> DownloadRequest {
        try with(DownloadRequest(url: DownloadURL(text: url, scheme: "https", host: "a.example", port: 443, path: "/")))
        {
            $0.refreshURL = refreshURL
            $0.filename = try filename.map { try FileName(validating: $0) }
        }
    }

    @Test(arguments: [
        ("https://a.example/file.iso?sig=1", nil), ("https://a.example/get?file=a.html", nil),
        ("https://a.example/", nil), ("https://a.example/f", "book.epub"),
    ])
    func aPageIsNoFileWhereAnotherLinkMayBeHad(url: String, filename: String?) throws {
        #expect(try Self.request(url, filename: filename, refreshURL: "https://b.example/").expectsNoPage)
    }

    @Test(arguments: [
        ("https://a.example/index.html", nil), ("https://a.example/INDEX.HTM?x", nil),
        ("https://a.example/f", "a.xhtml"),
    ])
    func aPageThatIsNamedOneIsAFile(url: String, filename: String?) throws {
        #expect(try !Self.request(url, filename: filename, refreshURL: "https://b.example/").expectsNoPage)
    }

    @Test func aWebPageIsAFileWithoutARefreshURL() throws {
        #expect(try !Self.request("https://a.example/file.iso", refreshURL: nil).expectsNoPage)
    }
}
