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
            {"url":"https://a.example/","description":"d","types":["download.*","session.finished"],
             "session_filter":"s*","labels_filter":{"b":"2","a":"1"},"payload":"thin","format":"cloudevents",
             "request_headers":{"X-A":"1"},"ordering":"session","rate_limit_per_second":5,"verify":"cloudevents",
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
            (#"{"url":"https://a/","types":[]}"#, "/types", .required),
            (#"{"url":"https://a/","types":["download.done"]}"#, "/types/0", .unknownWord),
            (#"{"url":"https://a/","types":["*","download.progress"]}"#, "/types/1", .unknownWord),
            (#"{"url":"https://a/","types":[5]}"#, "/types/0", .wrongType),
            (#"{"url":"https://a/","types":"*"}"#, "/types", .wrongType),
            (#"{"url":"https://a/","session_filter":"a b"}"#, "/session_filter", .malformed),
            (#"{"url":"https://a/","labels_filter":{"a":1}}"#, "/labels_filter/a", .wrongType),
            (#"{"url":"https://a/","payload":"fat"}"#, "/payload", .unknownWord),
            (#"{"url":"https://a/","format":"xml"}"#, "/format", .unknownWord),
            (#"{"url":"https://a/","ordering":"all"}"#, "/ordering", .unknownWord),
            (#"{"url":"https://a/","verify":"twice"}"#, "/verify", .unknownWord),
            (#"{"url":"https://a/","rate_limit_per_second":0}"#, "/rate_limit_per_second", .outOfRange),
            (#"{"url":"https://a/","rate_limit_per_second":1001}"#, "/rate_limit_per_second", .outOfRange),
            (#"{"url":"https://a/","request_headers":{"Webhook-Id":"x"}}"#, "/request_headers/Webhook-Id", .forbidden),
            (
                #"{"url":"https://a/","request_headers":{"content-type":"x"}}"#, "/request_headers/content-type",
                .forbidden
            ),
            (#"{"url":"https://a/","request_headers":{"User-Agent":"x"}}"#, "/request_headers/User-Agent", .forbidden),
            (#"{"url":"https://a/","request_headers":{"Host":"x"}}"#, "/request_headers/Host", .forbidden),
            (#"{"url":"https://a/","request_headers":{"X-A":"b\r\nX-B: c"}}"#, "/request_headers/X-A", .malformed),
            (#"{"url":"https://a/","request_headers":{"X A":"b"}}"#, "/request_headers/X A", .malformed),
            (#"{"url":"https://a/","request_headers":{"X-A":null}}"#, "/request_headers/X-A", .wrongType),
            (#"{"url":"https://a/","type":"x"}"#, "/type", .unknownMember),
        ] as [(String, String, Violation.Code)]
    )
    func violationsOfAWebhookAreNamed(_ text: String, _ pointer: String, _ code: Violation.Code) {
        let found = Self.violations { () throws(BodyError) in _ = try Self.create(text) }

        #expect(found == [pointer: code])
    }

    @Test func aPatchChangesWhatItNamesAndNullClears() throws {
        var settings = WebhookSettings(url: "https://a.example/")
        settings.description = "d"
        settings.rateLimitPerSecond = 5
        settings.eventTypes = [EventPattern("*")].compactMap(\.self)
        let text = #"{"description":null,"types":null,"payload":"thin","labels_filter":{"a":"b"},"#
        let patch = try PatchWebhookBody(parsing: Array((text + #""request_headers":{"A":null}}"#).utf8))

        let changed = patch.applied(to: settings)

        #expect(changed.description == nil && changed.eventTypes == nil && changed.rateLimitPerSecond == 5)
        #expect(changed.form == EventForm(payload: .thin, format: .standard))
        #expect(changed.labels?.text == #"{"a":"b"}"#)
        #expect(patch.headers == .merge([HeaderPatch.Change(name: "A", value: nil)]))
        #expect(patch.url == nil && patch.isEnabled == nil)
    }

    @Test func anEmptyFilterOfLabelsIsNone() throws {
        var settings = WebhookSettings(url: "https://a.example/")
        settings.labels = JSONText(canonical: #"{"a":"b"}"#)
        for text in [#"{"labels_filter":{}}"#, #"{"labels_filter":null}"#] {
            let patch = try PatchWebhookBody(parsing: Array(text.utf8))

            #expect(patch.applied(to: settings).labels == nil)
        }
    }

    @Test(arguments: [
        ("{}", ""), (#"{"url":null}"#, "/url"), (#"{"enabled":null}"#, "/enabled"), (#"{"payload":null}"#, "/payload"),
        (#"{"secret":"x"}"#, "/secret"), (#"{"verify":null}"#, "/verify"),
        (#"{"expected_revision":0}"#, "/expected_revision"),
    ])
    func violationsOfAWebhookPatchAreNamed(_ text: String, _ pointer: String) {
        let found = Self.violations { () throws(BodyError) in
            _ = try PatchWebhookBody(parsing: Array(text.utf8))
        }

        #expect(Array(found.keys) == [pointer])
    }

    @Test(arguments: [
        ("{}", 86_400), (#"{"grace_seconds":null}"#, 86_400), (#"{"grace_seconds":0}"#, 0),
        (#"{"grace_seconds":95400}"#, 95_400), (#"{"grace_seconds":604800}"#, 604_800),
    ])
    func aGraceIsANumberOfSeconds(_ text: String, _ seconds: Int64) throws {
        #expect(try RotateSecretBody(parsing: Array(text.utf8)).grace == .seconds(seconds))
    }

    @Test(arguments: ["-1", "604801", "1.5", "99999999999999999999", "\"PT24H\"", "\"86400\"", "\"\"", "true", "[]"])
    func anythingElseIsNoGrace(_ text: String) {
        let found = Self.violations { () throws(BodyError) in
            _ = try RotateSecretBody(parsing: Array(#"{"grace_seconds":\#(text)}"#.utf8))
        }

        #expect(Array(found.keys) == ["/grace_seconds"])
    }

    @Test func aRecoverySaysWhatOfWhen() throws {
        let times = #""created_after":"2026-01-02T03:04:05Z","created_before":"2026-01-02T04:04:05Z""#
        let text = #"{\#(times),"state":["failed"]}"#
        let body = try RecoverBody(parsing: Array(text.utf8))
        let usual = try RecoverBody(parsing: Array(#"{"created_after":"2026-01-02T03:04:05Z"}"#.utf8))

        #expect(body.since == Instant.parse("2026-01-02T03:04:05Z") && body.states == [.failed])
        #expect(body.until == Instant.parse("2026-01-02T04:04:05Z"))
        #expect(usual.until == nil && usual.states == [.failed, .disabled, .pending])
    }

    @Test(arguments: [
        ("{}", "/created_after"), (#"{"created_after":"yesterday"}"#, "/created_after"),
        (#"{"created_after":"2026-01-02T03:04:05Z","state":[]}"#, "/state"),
        (#"{"created_after":"2026-01-02T03:04:05Z","state":["delivering"]}"#, "/state/0"),
        (#"{"created_after":"2026-01-02T03:04:05Z","state":"failed"}"#, "/state"),
        (#"{"created_after":"2026-01-02T03:04:05Z","only":"failed"}"#, "/only"),
    ])
    func violationsOfARecoveryAreNamed(_ text: String, _ pointer: String) {
        let found = Self.violations { () throws(BodyError) in _ = try RecoverBody(parsing: Array(text.utf8)) }

        #expect(Array(found.keys) == [pointer])
    }
}
