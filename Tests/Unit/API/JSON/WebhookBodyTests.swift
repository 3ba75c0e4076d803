import Core
import TestSupport
import Testing

@testable import API

/// Bodies of requests for webhooks.
@Suite struct WebhookBodyTests {
    private static func create(_ text: String) throws(BodyError) -> CreateWebhookBody {
        try CreateWebhookBody(parsing: Array(text.utf8))
    }

    private static func violations(_ body: () throws(BodyError) -> Void) -> [String: Violation.Code] {
        do {
            try body()
            return [:]
        } catch {
            guard case .violations(let list) = error else { return ["json": .malformed] }
            return Dictionary(list.map { ($0.pointer.text, $0.code) }) { first, _ in first }
        }
    }

    @Test func onlyTheURLIsNeeded() throws {
        let body = try Self.create(#"{"url":"https://a.example/hook"}"#)

        #expect(body.url == "https://a.example/hook")
        #expect(body.eventTypes == nil && body.session == nil && body.labels == nil && body.headers.isEmpty)
        #expect(body.form == .standard && body.ordering == .none && body.isEnabled && body.secret == nil)
    }

    @Test func allMembersAreRead() throws {
        let body = try Self.create(
            """
            {"url":"https://a.example/","description":"d","event_types":["download.*","session.finished"],
             "session_filter":"s*","labels_filter":{"b":"2","a":"1"},"payload":"thin","format":"cloudevents",
             "headers":{"X-A":"1"},"ordering":"session","rate_limit_per_second":5,"verify":"cloudevents",
             "enabled":false,"secret":"x"}
            """
        )

        #expect(body.description == "d" && body.eventTypes?.map(\.text) == ["download.*", "session.finished"])
        #expect(body.session?.text == "s*" && body.labels?.text == #"{"a":"1","b":"2"}"#)
        #expect(body.form == EventForm(payload: .thin, format: .cloudEvents))
        #expect(body.headers == [RequestCredentials.Header(name: "X-A", value: "1")])
        #expect(body.verification == .cloudEvents)
        #expect(body.ordering == .session && body.rateLimitPerSecond == 5 && !body.isEnabled && body.secret == "x")
    }

    @Test(
        arguments: [
            ("{}", "/url", .required), (#"{"url":5}"#, "/url", .wrongType), (#"{"url":"nowhere"}"#, "/url", .malformed),
            (#"{"url":"https://a/","event_types":[]}"#, "/event_types", .required),
            (#"{"url":"https://a/","event_types":["download.done"]}"#, "/event_types/0", .unknownWord),
            (#"{"url":"https://a/","event_types":["*","download.progress"]}"#, "/event_types/1", .unknownWord),
            (#"{"url":"https://a/","event_types":[5]}"#, "/event_types/0", .wrongType),
            (#"{"url":"https://a/","event_types":"*"}"#, "/event_types", .wrongType),
            (#"{"url":"https://a/","session_filter":"a b"}"#, "/session_filter", .malformed),
            (#"{"url":"https://a/","labels_filter":{"a":1}}"#, "/labels_filter/a", .wrongType),
            (#"{"url":"https://a/","payload":"fat"}"#, "/payload", .unknownWord),
            (#"{"url":"https://a/","format":"xml"}"#, "/format", .unknownWord),
            (#"{"url":"https://a/","ordering":"all"}"#, "/ordering", .unknownWord),
            (#"{"url":"https://a/","verify":"twice"}"#, "/verify", .unknownWord),
            (#"{"url":"https://a/","rate_limit_per_second":0}"#, "/rate_limit_per_second", .outOfRange),
            (#"{"url":"https://a/","rate_limit_per_second":1001}"#, "/rate_limit_per_second", .outOfRange),
            (#"{"url":"https://a/","headers":{"Webhook-Id":"x"}}"#, "/headers/Webhook-Id", .forbidden),
            (#"{"url":"https://a/","headers":{"content-type":"x"}}"#, "/headers/content-type", .forbidden),
            (#"{"url":"https://a/","headers":{"User-Agent":"x"}}"#, "/headers/User-Agent", .forbidden),
            (#"{"url":"https://a/","headers":{"Host":"x"}}"#, "/headers/Host", .forbidden),
            (#"{"url":"https://a/","headers":{"X-A":"b\r\nX-B: c"}}"#, "/headers/X-A", .malformed),
            (#"{"url":"https://a/","headers":{"X A":"b"}}"#, "/headers/X A", .malformed),
            (#"{"url":"https://a/","headers":{"X-A":null}}"#, "/headers/X-A", .wrongType),
            (#"{"url":"https://a/","type":"x"}"#, "/type", .unknownMember),
        ] as [(String, String, Violation.Code)]
    )
    func whatIsWrongIsNamed(_ text: String, _ pointer: String, _ code: Violation.Code) {
        let found = Self.violations { () throws(BodyError) in _ = try Self.create(text) }

        #expect(found == [pointer: code])
    }

    @Test func aPatchChangesWhatItNamesAndNullClears() throws {
        var settings = WebhookSettings(url: "https://a.example/", description: "d", rateLimitPerSecond: 5)
        settings.eventTypes = [EventPattern("*")].compactMap(\.self)
        let text =
            #"{"description":null,"event_types":null,"payload":"thin","labels_filter":{"a":"b"},"headers":{"A":null}}"#
        let patch = try PatchWebhookBody(parsing: Array(text.utf8), as: .mergePatch)

        let changed = patch.applied(to: settings)

        #expect(changed.description == nil && changed.eventTypes == nil && changed.rateLimitPerSecond == 5)
        #expect(changed.form == EventForm(payload: .thin, format: .standard))
        #expect(changed.labels?.text == #"{"a":"b"}"#)
        #expect(patch.headers == .merge([HeaderPatch.Change(name: "A", value: nil)]))
        #expect(patch.url == nil && patch.isEnabled == nil)
    }

    @Test func anEmptyFilterOfLabelsIsNone() throws {
        let settings = WebhookSettings(url: "https://a.example/", labels: JSONText(canonical: #"{"a":"b"}"#))
        for text in [#"{"labels_filter":{}}"#, #"{"labels_filter":null}"#] {
            let patch = try PatchWebhookBody(parsing: Array(text.utf8), as: .mergePatch)

            #expect(patch.applied(to: settings).labels == nil)
        }
    }

    @Test(arguments: [
        ("{}", ""), (#"{"url":null}"#, "/url"), (#"{"enabled":null}"#, "/enabled"), (#"{"payload":null}"#, "/payload"),
        (#"{"secret":"x"}"#, "/secret"), (#"{"verify":null}"#, "/verify"),
        (#"{"expected_revision":0}"#, "/expected_revision"),
    ])
    func whatAPatchCannotSayIsNamed(_ text: String, _ pointer: String) {
        let found = Self.violations { () throws(BodyError) in
            _ = try PatchWebhookBody(parsing: Array(text.utf8), as: .json)
        }

        #expect(Array(found.keys) == [pointer])
    }

    @Test(arguments: [
        ("{}", 86_400), (#"{"grace":"PT0S"}"#, 0), (#"{"grace":"PT24H"}"#, 86_400), (#"{"grace":"P7D"}"#, 604_800),
        (#"{"grace":"P1DT2H30M"}"#, 95_400), (#"{"grace":"PT90M"}"#, 5400),
    ])
    func aGraceIsADuration(_ text: String, _ seconds: Int64) throws {
        #expect(try RotateSecretBody(parsing: Array(text.utf8)).grace == .seconds(seconds))
    }

    @Test(arguments: [
        "P", "PT", "24H", "PT24", "PT-1H", "P1H", "PT1D", "P8D", "PT169H", "PT1M1H", "P1M", "P1W", "PT1.5H", "pt1h",
        "PT99999999999S", "P0DT", "",
    ])
    func anythingElseIsNoGrace(_ text: String) {
        let found = Self.violations { () throws(BodyError) in
            _ = try RotateSecretBody(parsing: Array(#"{"grace":"\#(text)"}"#.utf8))
        }

        #expect(Array(found.keys) == ["/grace"])
    }

    @Test func aRecoverySaysWhatOfWhen() throws {
        let text = #"{"since":"2026-01-02T03:04:05Z","until":"2026-01-02T04:04:05Z","states":["failed"]}"#
        let body = try RecoverBody(parsing: Array(text.utf8))
        let usual = try RecoverBody(parsing: Array(#"{"since":"2026-01-02T03:04:05Z"}"#.utf8))

        #expect(body.since == Instant.parse("2026-01-02T03:04:05Z") && body.states == [.failed])
        #expect(body.until == Instant.parse("2026-01-02T04:04:05Z"))
        #expect(usual.until == nil && usual.states == [.failed, .disabled, .pending])
    }

    @Test(arguments: [
        ("{}", "/since"), (#"{"since":"yesterday"}"#, "/since"),
        (#"{"since":"2026-01-02T03:04:05Z","states":[]}"#, "/states"),
        (#"{"since":"2026-01-02T03:04:05Z","states":["delivering"]}"#, "/states/0"),
        (#"{"since":"2026-01-02T03:04:05Z","states":"failed"}"#, "/states"),
        (#"{"since":"2026-01-02T03:04:05Z","only":"failed"}"#, "/only"),
    ])
    func whatIsWrongWithARecoveryIsNamed(_ text: String, _ pointer: String) {
        let found = Self.violations { () throws(BodyError) in _ = try RecoverBody(parsing: Array(text.utf8)) }

        #expect(Array(found.keys) == [pointer])
    }
}
