import API
import ServiceSupport
import TestSupport
import Testing

/// What is wrong with a member has the same code in `POST /downloads` and in `PATCH /downloads/{id}`.
@Suite(.hangLimit)
struct ViolationTests {
    /// A rule that both have, as a body breaks it.
    struct Rule: Sendable, CustomTestStringConvertible {
        let members: String
        let pointer: String
        let code: String

        init(_ members: String, _ pointer: String, _ code: String) {
            self.members = members
            self.pointer = pointer
            self.code = code
        }

        var testDescription: String { "\(pointer) \(code)" }
    }

    private static func object(_ count: Int, from first: Int = 0, value: String = #""v""#) -> String {
        "{" + (first..<(first + count)).map { "\"X-\($0)\":\(value)" }.joined(separator: ",") + "}"
    }

    private static let long = String(repeating: "a", count: 20_000)

    private static let sourceRules = [
        Rule(#""url":1"#, "/url", "wrong_type"),
        Rule(#""url":"nowhere""#, "/url", "malformed"),
        Rule(#""url":"http://a.example/\#(long)""#, "/url", "too_long"),
        Rule(#""url":"http://a.example/a\tb""#, "/url", "malformed"),
        Rule(#""url":"http://a\uff0fb.example/""#, "/url", "malformed"),
        Rule(#""mirrors":["http://-\u00fc-.example/"]"#, "/mirrors/0", "malformed"),
        Rule(#""mirrors":"http://b.example/""#, "/mirrors", "wrong_type"),
        Rule(#""mirrors":["nowhere"]"#, "/mirrors/0", "malformed"),
        Rule(#""mirrors":["http://u:p@b.example/"]"#, "/mirrors/0", "malformed"),
        Rule(#""refresh_url":"nowhere""#, "/refresh_url", "malformed"),
        Rule(#""refresh_url":"http://u:p@b.example/""#, "/refresh_url", "malformed"),
        Rule(#""mirrors":["http://b.example/"],"method":"POST""#, "/mirrors", "malformed"),
    ]

    private static let requestRules = [
        Rule(#""request_headers":\#(object(65))"#, "/request_headers", "too_many"),
        Rule(#""request_headers":{"Host":"b"}"#, "/request_headers/Host", "forbidden"),
        Rule(#""request_headers":{"a b":"c"}"#, "/request_headers/a b", "malformed"),
        Rule(#""request_headers":{"A":"\#(long)"}"#, "/request_headers/A", "too_long"),
        Rule(#""cookies":\#(object(65))"#, "/cookies", "too_many"),
        Rule(#""cookies":{"a":"b;c"}"#, "/cookies/a", "malformed"),
        Rule(#""authentication":{"scheme":"none"}"#, "/authentication/scheme", "unknown_word"),
        Rule(#""authentication":{"scheme":"bearer"}"#, "/authentication/token", "required"),
        Rule(#""method":"PUT""#, "/method", "unknown_word"),
        Rule(#""method":"GET","body":{"text":"a"}"#, "/body", "forbidden"),
        Rule(#""body":{"text":"a"}"#, "/body", "forbidden"),
        Rule(#""method":"POST","body":{}"#, "/body", "required"),
        Rule(#""method":"POST","body":{"base64":"?"}"#, "/body/base64", "malformed"),
        Rule(#""proxy":"nowhere""#, "/proxy", "malformed"),
        Rule(
            #""authentication":{"scheme":"bearer","token":"t"},"request_headers":{"Authorization":"a"}"#,
            "/authentication",
            "malformed"
        ),
        Rule(#""cookies":{"a":"b"},"request_headers":{"Cookie":"a"}"#, "/cookies", "malformed"),
    ]

    private static let runRules = [
        Rule(#""limits":{"max_bytes":0}"#, "/limits/max_bytes", "out_of_range"),
        Rule(#""limits":{"rate_bytes_per_second":1}"#, "/limits/rate_bytes_per_second", "out_of_range"),
        Rule(#""limits":{"connections":33}"#, "/limits/connections", "out_of_range"),
        Rule(#""limits":{"other":1}"#, "/limits/other", "unknown_member"),
        Rule(#""timeouts":{"connect_seconds":0}"#, "/timeouts/connect_seconds", "out_of_range"),
        Rule(#""retry":{"statuses":[200]}"#, "/retry/statuses/0", "out_of_range"),
        Rule(#""max_attempts":0"#, "/max_attempts", "out_of_range"),
        Rule(#""priority":101"#, "/priority", "out_of_range"),
        Rule(#""expires_at":"soon""#, "/expires_at", "malformed"),
        Rule(#""expires_at":"2000-01-01T00:00:00Z""#, "/expires_at", "malformed"),
        Rule(#""keep_file_seconds":-1"#, "/keep_file_seconds", "out_of_range"),
        Rule(#""keep_file_seconds":"never""#, "/keep_file_seconds", "malformed"),
        Rule(#""keep_file_seconds":true"#, "/keep_file_seconds", "wrong_type"),
        Rule(#""keep_file_seconds":1,"expires_at":"2999-01-01T00:00:00Z""#, "/keep_file_seconds", "forbidden"),
        Rule(#""deadline_at":"soon""#, "/deadline_at", "malformed"),
        Rule(#""deadline_at":"2000-01-01T00:00:00Z""#, "/deadline_at", "malformed"),
        Rule(
            #""not_before_at":"2100-01-02T00:00:00Z","deadline_at":"2100-01-01T00:00:00Z""#,
            "/not_before_at",
            "malformed"
        ),
        Rule(#""other":1"#, "/other", "unknown_member"),
    ]

    private static let objectRules = [
        Rule(#""labels":[]"#, "/labels", "wrong_type"),
        Rule(#""labels":{"a":1}"#, "/labels/a", "wrong_type"),
        Rule(#""labels":\#(object(51))"#, "/labels", "too_many"),
        Rule(#""labels":{"a":"\#(long.prefix(300))"}"#, "/labels/a", "too_long"),
        Rule(#""metadata":\#(object(51))"#, "/metadata", "too_many"),
        Rule(#""metadata":{"a":"\#(long)"}"#, "/metadata", "too_long"),
    ]

    @Test(arguments: sourceRules + requestRules + runRules + objectRules)
    func aRuleHasOneCode(_ rule: Rule) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let id = try await service.add("http://a.example/f")
            let url = rule.members.hasPrefix(#""url""#) ? "" : #""url":"http://a.example/f","#
            let made = try await service.request("POST", "/downloads", "{\(url)\(rule.members)}")
            let changed = try await service.request("PATCH", "/downloads/\(id)", "{\(rule.members)}")

            #expect(made.violations == ["\(rule.pointer) \(rule.code)"])
            #expect(changed.violations == made.violations)
            #expect(changed.status == made.status)
            #expect(changed.problem == made.problem)
        }
    }

    /// What a patch comes to is held to the same rule as what it says.
    @Test(arguments: [
        Rule(#""labels":\#(object(30, from: 30))"#, "/labels", "too_many"),
        Rule(#""metadata":{"b":"\#(String(repeating: "b", count: 10_000))"}"#, "/metadata", "too_long"),
        Rule(#""body":{"text":"a"}"#, "/body", "forbidden"),
    ])
    func aPatchAndAPostRefuseWithTheSameCode(_ rule: Rule) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            let metadata = #"{"a":"\#(String(repeating: "a", count: 10_000))"}"#
            let members = #","labels":\#(Self.object(30)),"metadata":\#(metadata)"#
            let id = try await service.add("http://a.example/f", members)
            let changed = try await service.request("PATCH", "/downloads/\(id)", "{\(rule.members)}")

            #expect(changed.status == 400)
            #expect(changed.problem == "invalid-request")
            #expect(changed.violations == ["\(rule.pointer) \(rule.code)"])
        }
    }
}
