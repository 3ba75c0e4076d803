import Core
import ServiceSupport
import Testing
import TransferRules

@testable import API

private func shown(
    _ download: Download,
    liveProgress: LiveProgress? = nil,
    fileAvailable: Bool = true
) throws -> JSONValue {
    try JSONValue(
        parsing: DownloadBody(download: download, liveProgress: liveProgress, fileAvailable: fileAvailable).encoded()
    )
}

private func liveProgress(
    _ received: Int64,
    of total: Int64?,
    at speed: Double,
    in phase: DownloadPhase = .transferring,
    verified: Int64? = nil
) -> LiveProgress {
    let reading = ProgressReading(
        phase: phase,
        receivedBytes: received,
        totalBytes: total,
        verifiedBytes: verified,
        bytesPerSecond: speed,
        connections: 4
    )
    return LiveProgress(reading, at: Timestamp(milliseconds: 1))
}

@Test func noSecretIsShown() throws {
    let download = try Samples.full()

    let body = try shown(download)

    #expect(body["url"] == .string("https://cdn.example/a.iso?REDACTED"))
    #expect(body["source"]?["final_url"] == .string("https://mirror.example/a.iso?REDACTED"))
    #expect(body["request_headers"]?["Authorization"] == .string("REDACTED"))
    #expect(body["request_headers"]?["X-\"odd\""] == .string("REDACTED"))
}

@Test func theClientsObjectsComeBack() throws {
    let body = try shown(try Samples.full())

    #expect(body["labels"]?.canonical == #"{"env":"prod"}"#)
    #expect(body["metadata"]?.canonical == #"{"tags":["linux"]}"#)
    #expect(try shown(try Samples.download())["labels"] == .object([]))
}

@Test func aFileIsShownOnlyOnceItIsThere() throws {
    let publishing = try shown(try Samples.full(.running))
    let completed = try shown(try Samples.full(.completed))
    let gone = try shown(try Samples.full(.completed), fileAvailable: false)

    #expect(publishing["file"]?["available"] == .bool(false) && publishing["file"]?["path"] == .null)
    #expect(completed["file"]?["path"] == .string("isos/debian/a (1).iso"))
    #expect(completed["file"]?["available"] == .bool(true))
    #expect(completed["links"]?["file"] == .string("/downloads/\(Samples.id)/file"))
    #expect(completed["filename"] == .string("a (1).iso"))
    #expect(gone["file"]?["available"] == .bool(false))
}

@Test func aRunningTransferShowsWhatIsFresher() throws {
    let body = try shown(try Samples.full(.running), liveProgress: liveProgress(10, of: 31, at: 10))

    #expect(body["phase"] == .string("transferring"))
    #expect(body["progress"]?["received_bytes"] == .number("10"))
    #expect(body["progress"]?["eta_seconds"] == .number("3"))
    #expect(body["progress"]?["connections"] == .number("4"))
}

@Test func aVerificationShowsHowFarItIs() throws {
    let body = try shown(
        try Samples.full(.running),
        liveProgress: liveProgress(31, of: 31, at: 10, in: .verifying, verified: 8)
    )

    #expect(body["phase"] == .string("verifying"))
    #expect(body["progress"]?["received_bytes"] == .number("31"))
    #expect(body["progress"]?["verified_bytes"] == .number("8"))
}

@Test(arguments: DownloadState.allCases)
func withoutAVerificationNothingIsVerified(_ state: DownloadState) throws {
    #expect(try shown(try Samples.full(state))["progress"]?["verified_bytes"] == .null)
    #expect(
        try shown(try Samples.full(state), liveProgress: liveProgress(10, of: 31, at: 1))["progress"]?["verified_bytes"]
            == .null
    )
}

@Test(arguments: [DownloadPhase.probing, .verifying, .publishing])
func onlyATransferHasSpeedAndEnd(_ phase: DownloadPhase) throws {
    let body = try shown(try Samples.full(.running), liveProgress: liveProgress(31, of: 31, at: 10, in: phase))

    #expect(body["progress"]?["bytes_per_second"] == .null)
    #expect(body["progress"]?["eta_seconds"] == .null)
}

@Test func aReportThatComesTooLateIsNotShown() throws {
    let body = try shown(try Samples.full(.paused), liveProgress: liveProgress(10, of: 31, at: 10))

    #expect(body["phase"] == .null)
    #expect(body["progress"]?["received_bytes"] == .number("7"))
    #expect(body["progress"]?["bytes_per_second"] == .null)
}

@Test(arguments: [(nil, 10), (31, 0), (9, 10)] as [(Int64?, Double)])
func theEndIsUnknownWithoutSizeOrSpeed(_ total: Int64?, _ speed: Double) {
    #expect(liveProgress(10, of: total, at: speed).etaSeconds == nil)
}

@Test func theEntityTagChangesWithWhatIsShown() throws {
    var running = try Samples.full(.running)
    running.phase = .probing
    let reading = liveProgress(10, of: 31, at: 1)
    let verification = liveProgress(31, of: 31, at: 1, in: .verifying, verified: 8)

    #expect(DownloadBody(download: running, fileAvailable: false).etag == "\"1.7.probing\"")
    #expect(
        DownloadBody(download: running, liveProgress: reading, fileAvailable: false).etag
            == "\"1.10.transferring.\(reading.readAt.milliseconds)\""
    )
    #expect(
        DownloadBody(download: running, liveProgress: verification, fileAvailable: false).etag
            == "\"1.31.verifying.8.\(verification.readAt.milliseconds)\""
    )
    #expect(DownloadBody(download: try Samples.full(.paused), fileAvailable: false).etag == "\"1.7\"")
}

@Test(arguments: DownloadState.allCases)
func theActionsAreThoseOfTheState(_ state: DownloadState) throws {
    let body = try shown(try Samples.download(state))

    #expect(body["allowed_actions"]?.words == state.allowedActions(in: nil).map(\.rawValue))
}

@Test func aTextFromOutsideIsEscaped() throws {
    var download = try Samples.full()
    download.source.etag = "\"a\\b\u{1}\u{1F}\n\r\t/é😀\u{2028}\""

    #expect(try shown(download)["source"]?["etag"]?.text == download.source.etag)
}

@Test func aPageHoldsItsItemsAndTheWayOn() throws {
    let item = DownloadBody(download: try Samples.download(), fileAvailable: false)
    let page = PageBody(items: [item, item], nextCursor: "c", nextPath: "/downloads?cursor=c")

    let value = try JSONValue(parsing: page.encoded())

    guard case .array(let items)? = value["items"] else { return #expect(Bool(false), "no items") }
    #expect(items.count == 2 && value["next_cursor"] == .string("c"))
    #expect(value["links"]?["next"] == .string("/downloads?cursor=c"))
    let empty = try JSONValue(parsing: PageBody<DownloadBody>(items: []).encoded())
    #expect(empty.canonical == #"{"items":[],"links":{"next":null},"next_cursor":null}"#)
}

@Suite struct LinkTests {
    @Test func aQuestionIsWrittenAsDescribedAndTellsNoSecret() throws {
        var download = try Samples.full(.running)
        download.attempts.count = 2
        let context = URLRefreshContext(
            download,
            url: download.request.url,
            reason: DownloadError(httpStatus: 403),
            at: Timestamp(milliseconds: 0)
        )
        let bytes = JSONEncoding.encode(context: context)

        #expect(try Contract.shared.violations(JSONValue(parsing: bytes), schema: "URLRefreshRequest") == [])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#""url":"https://cdn.example/a.iso?sig=REDACTED""#))
        #expect(text.contains(#""type":"link.refused""#) && text.contains(#""http_status":403"#))
    }

    @Test(
        arguments: [
            (#"{"url":"https://a.example/f?sig=2"}"#, "https://a.example/f?sig=2"),
            (#"{"expires":1,"url":"http://u:p@a.example/"}"#, "http://u:p@a.example/"),
            (#"{"url":null}"#, nil), (#"{"url":1}"#, nil), (#"["http://a/"]"#, nil),
            ("{}", nil), ("", nil), ("<html>", nil), (#"{"url":"http://a/","url":"http://b/"}"#, nil),
        ] as [(String, String?)]
    )
    func anAnswerIsReadStrictly(_ text: String, _ link: String?) {
        #expect(JSONDecoding.refreshedURL(Array(text.utf8)) == link)
    }
}
