import Core
import TestSupport
import Testing

@Suite struct WebhookFilterTests {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)

    private static func event(_ type: EventType, _ subject: Event.Subject) -> Event {
        Event(id: EventID(at: now), sequence: 1, type: type, at: now, subject: subject)
    }

    private static func download(
        _ type: EventType = .downloadCompleted,
        session: String? = nil,
        labels: String? = nil
    ) -> Event {
        let url = DownloadURL(text: "https://a.example/", scheme: "https", host: "a.example", port: 443, path: "/")
        var request = DownloadRequest(url: url)
        request.session = session.flatMap { SessionName($0) }
        request.labels = labels.map(JSONText.init(canonical:))
        let times = Download.Times(createdAt: now, deadlineAt: now)
        let download = Download(id: DownloadID(at: now), request: request, state: .queued, times: times)
        return event(type, .download(download, previousState: nil, restart: nil))
    }

    private static func finishedSession(_ name: String, labels: String? = nil) throws -> Event {
        var finished = FinishedSession(name: try #require(SessionName(name)), epoch: 1, startedAt: now, finishedAt: now)
        finished.isSealed = false
        finished.counts = [:]
        finished.receivedBytes = 0
        finished.failed = []
        finished.lastSequence = 1
        finished.labels = labels.map(JSONText.init(canonical:))
        return event(.sessionFinished, .session(finished))
    }

    private static func notice(_ type: EventType) -> Event {
        let notice = WebhookNotice(id: WebhookID(at: now), url: "https://hook.example/", disabled: nil)
        return event(type, .webhook(notice))
    }

    private static func labels(_ text: String) -> WebhookFilter {
        WebhookFilter(labels: LabelFilter(JSONText(canonical: text)))
    }

    @Test(arguments: ["\"", "{\"", "{\"a\":\"", "{\"a\":\"b", "{\"a\":\"b\\", "{\"a\":\"b\\\"", "\\\"\\"])
    func labelsOfADamagedRowAreReadUpToTheDamage(_ text: String) {
        #expect(JSONText(canonical: text).labels.isEmpty)
    }

    @Test func withoutTypesAWebhookReceivesWhatEndedOrWasGivenUp() {
        let types = EventType.allCases.filter { type in
            switch type {
            case .sessionFinished: (try? WebhookFilter().matches(Self.finishedSession("s"))) == true
            case .webhookDisabled, .webhookPing: WebhookFilter().matches(Self.notice(type))
            default: WebhookFilter().matches(Self.download(type))
            }
        }

        let expected: [EventType] = [
            .downloadCompleted, .downloadFailed, .downloadCancelled, .sessionFinished, .webhookDisabled,
        ]
        #expect(types == expected)
    }

    @Test func aWebhookThatNamesTypesReceivesThoseAlone() {
        let filter = WebhookFilter(types: [.downloadPaused])

        #expect(filter.matches(Self.download(.downloadPaused)))
        #expect(!filter.matches(Self.download(.downloadCompleted)))
    }

    @Test func aWebhookThatIsNamedReceivesWhateverItsSessionAndLabelsAreButOnlyItsTypes() throws {
        let filter = WebhookFilter(
            types: [.downloadCompleted],
            session: SessionFilter("none"),
            labels: LabelFilter(JSONText(canonical: #"{"a":"1"}"#))
        )

        #expect(!filter.matches(Self.download()) && filter.matches(Self.download(), isNamed: true))
        #expect(!filter.matches(Self.download(.downloadPaused), isNamed: true))
        #expect(try !filter.matches(Self.finishedSession("s"), isNamed: true))
        #expect(!WebhookFilter().matches(Self.notice(.webhookPing), isNamed: true))
    }

    @Test func aTestEventMatchesNoFilter() {
        #expect(!WebhookFilter(types: Set(EventType.allCases)).matches(Self.notice(.webhookPing)))
    }

    @Test(arguments: [
        ("s", "s", true), ("s", "s2", false), ("s*", "s2", true), ("com.example.*", "com.example.sync", true),
        ("com.example.*", "com.example", false), ("*", "anything", true),
    ])
    func aSessionFilterNamesOneOrTheBeginningOfMany(_ text: String, _ name: String, _ takes: Bool) throws {
        let session: SessionFilter = try #require(SessionFilter(text))
        let filter = WebhookFilter(session: session)

        #expect(filter.matches(Self.download(session: name)) == takes)
        #expect(try filter.matches(Self.finishedSession(name)) == takes)
        #expect(!filter.matches(Self.download()))
        #expect(!filter.matches(Self.notice(.webhookDisabled)))
    }

    @Test(arguments: ["", " ", "a b", "*a", "a*b", "**", "-a", ".*"])
    func anythingElseIsNoFilter(_ text: String) {
        #expect(SessionFilter(text) == nil)
    }

    @Test(arguments: [
        (#"{"env":"prod"}"#, true), (#"{"a":"b","env":"prod","z":""}"#, true), (#"{"env":"test"}"#, false),
        ("{}", false),
        (#"{"env":"production"}"#, false), (#"{"x":"\"env\":\"prod\""}"#, false), (#"{"prod":"env"}"#, false),
        (#"{"x":"env","y":"prod"}"#, false), (#"{"env\\":"prod"}"#, false),
    ])
    func aLabelFilterWantsEachNameWithItsValue(_ labels: String, _ takes: Bool) throws {
        let filter = Self.labels(#"{"env":"prod"}"#)

        #expect(filter.matches(Self.download(labels: labels)) == takes)
        #expect(try filter.matches(Self.finishedSession("s", labels: labels)) == takes)
    }

    @Test func allLabelsOfAFilterHaveToBeThere() {
        let filter = Self.labels(#"{"a":"1","b":"2"}"#)

        #expect(filter.matches(Self.download(labels: #"{"a":"1","b":"2","c":"3"}"#)))
        #expect(!filter.matches(Self.download(labels: #"{"a":"1"}"#)))
        #expect(!filter.matches(Self.download()))
        #expect(!filter.matches(Self.notice(.webhookDisabled)))
    }

    /// A search for the spelling of a pair would find it where one text ends and another begins.
    @Test func labelsThatLookLikeOthersAreToldApart() {
        let filter = Self.labels(#"{":":","}"#)

        #expect(!filter.matches(Self.download(labels: #"{"x":":","y":"z"}"#)))
        #expect(filter.matches(Self.download(labels: #"{":":",","y":"z"}"#)))
    }
}

@Suite struct EventPatternTests {
    @Test func aPatternMeansOneAFamilyOrAll() {
        #expect(EventPattern("download.completed")?.types == [.downloadCompleted])
        #expect(EventPattern("session.*")?.types == [.sessionFinished])
        #expect(EventPattern("*")?.types == Set(EventType.allCases))
        #expect(
            EventPattern("download.*")?.types
                == Set(EventType.allCases).subtracting(
                    [.fileExpired, .sessionFinished, .operationFinished, .webhookDisabled, .webhookPing]
                )
        )
    }

    @Test func progressIsOfTheFamilyOfDownloads() {
        #expect(EventPattern("download.progress")?.types == [])
        for text in ["download.progress", "download.*", "*"] { #expect(EventPattern(text)?.includesProgress == true) }
        for text in ["download.paused", "session.*"] { #expect(EventPattern(text)?.includesProgress == false) }
    }

    @Test(arguments: ["", "download", "download.", "*.completed", "down*", "downl.*", "download.complete", "x.*", "**"])
    func anythingElseMeansNothing(_ text: String) {
        #expect(EventPattern(text) == nil)
    }
}

@Suite struct WebhookKeysTests {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)

    @Test func theSecretBeforeSignsUntilItExpires() {
        let keys = WebhookKeys(
            sealed: [1],
            fingerprint: "0a",
            previous: .init(sealed: [2], expiresAt: Self.now + .seconds(60))
        )

        #expect(keys.signing(at: Self.now) == [[1], [2]])
        #expect(keys.signing(at: Self.now + .milliseconds(59_999)) == [[1], [2]])
        #expect(keys.signing(at: Self.now + .seconds(60)) == [[1]])
        #expect(WebhookKeys(sealed: [1], fingerprint: "0a").signing(at: Self.now) == [[1]])
    }

    @Test func aSecretBeforeDoesNotOutliveItsTimeThoughTheClockIsSetBack() {
        let keys = WebhookKeys(
            sealed: [1],
            fingerprint: "0a",
            previous: .init(sealed: [2], expiresAt: Self.now + .seconds(60))
        )

        #expect(keys.signing(at: Self.now - .seconds(8 * 86_400)) == [[1]])
    }
}

@Suite struct ConsentRequestTests {
    @Test(arguments: [
        ("events.example", true), ("Events.Example", true), ("*", true), (nil, false), ("", false),
        ("other.example", false), ("events.example, *", false), ("*.example", false),
    ])
    func anEndpointAgreesByTheNameOrToAll(_ allowed: String?, _ isAgreed: Bool) {
        #expect(ConsentRequest(origin: "events.example", ratePerSecond: nil).isAgreed(by: allowed) == isAgreed)
    }

    @Test func aRateIsAskedForByTheMinute() {
        let fields = ConsentRequest(origin: "events.example", ratePerSecond: 2).fields

        #expect(fields.map(\.name) == ["WebHook-Request-Origin", "WebHook-Request-Rate"])
        #expect(fields.map(\.value) == ["events.example", "120"])
        #expect(ConsentRequest(origin: "events.example", ratePerSecond: nil).fields.count == 1)
    }
}
