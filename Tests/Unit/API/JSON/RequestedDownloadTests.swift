import Core
import HTTPFields
import ServiceSupport
import Testing

@testable import API

private func violations(_ json: String) -> [Violation] {
    do throws(BodyError) {
        _ = try RequestedDownload(parsing: Array(json.utf8))
        return []
    } catch {
        guard case .violations(let list) = error else { return [] }
        return list
    }
}

@Test func onlyTheURLIsRequired() throws {
    let body = try RequestedDownload(parsing: Array(#"{"url":"https://example.com/a"}"#.utf8))

    #expect(body.request.url.text == "https://example.com/a")
    #expect(body.request.onConflict == .rename && body.starts && !body.request.acceptsUnverifiedLength)
    #expect(body.request.session == nil && body.request.labels == nil && body.request.expected == Expected())
    #expect(body.credentials.isEmpty && body.request.credentials == nil)
}

@Test func theDescribedExamplesAreRead() throws {
    let media = try Description.at("paths", "/downloads", "post", "requestBody", "content", "application/json")

    let examples = try #require(media["examples"])
    for name in examples.names {
        let value = try #require(examples[name]?["value"])
        #expect(throws: Never.self) { try RequestedDownload(parsing: value.bytes) }
    }
    let body = try RequestedDownload(try #require(examples["full"]?["value"]))
    #expect(body.request.filename?.value == "a.iso")
    #expect(body.credentials.headers == [RequestCredentials.Header(name: "X-Key", value: "secret")])
    #expect(body.credentials.authentication == .digest(username: "me", password: "secret"))
    #expect(body.credentials.cookies == [RequestCredentials.Cookie(name: "session", value: "secret")])
    let posted = try RequestedDownload(try #require(examples["posted"]?["value"]))
    #expect(posted.credentials.postBody == Array("kind=iso".utf8))
    #expect(body.request.expected.digests.first?.algorithm == .sha256)
    #expect(body.request.metadata?.text == #"{"tags":["linux"],"ticket":4711}"#)
    #expect(
        body.request.maxBytes == 10_737_418_240 && body.request.rateBytesPerSecond == 1_048_576
            && body.request.maxAttempts == 8
    )
}

@Test func timeLimitsAndRetriesAreRead() throws {
    let body = try RequestedDownload(
        parsing: Array(
            #"""
            {"url":"http://a/","timeouts":{"connect_seconds":5,"silence_seconds":20,"give_up_seconds":600},
             "retry":{"delay_seconds":2,"max_delay_seconds":30,"statuses":[503,403,503]}}
            """#.utf8
        )
    )
    let retry = body.request.retry

    #expect(retry.connectTimeout == WholeSeconds(5) && retry.silenceTimeout == WholeSeconds(20))
    #expect(retry.giveUpAfter == WholeSeconds(600) && retry.delay == WholeSeconds(2))
    #expect(retry.maxDelay == WholeSeconds(30) && retry.statuses?.sorted == [403, 503])
}

@Test func nullCountsAsAbsent() throws {
    let schema = try Description.schema("DownloadRequest")
    let members = try #require(schema["properties"]).names.filter { $0 != "url" }
    let json = "{\"url\":\"http://a\"," + members.map { "\"\($0)\":null" }.joined(separator: ",") + "}"

    let body = try RequestedDownload(parsing: Array(json.utf8))

    #expect(body == (try RequestedDownload(parsing: Array(#"{"url":"http://a"}"#.utf8))))
}

@Test(
    arguments: [
        (#"{}"#, "/url", .required), (#"{"url":null}"#, "/url", .required), (#"[]"#, "", .wrongType),
        (#"{"url":"http://a","urll":1}"#, "/urll", .unknownMember),
        (#"{"url":"http://a","a/b~c":1}"#, "/a~1b~0c", .unknownMember),
        (#"{"url":"http://a","mirrors":"http://b"}"#, "/mirrors", .wrongType),
        (#"{"url":"http://a","mirrors":["http://b",1]}"#, "/mirrors/1", .wrongType),
        (#"{"url":"http://a","mirrors":["b"]}"#, "/mirrors/0", .malformed),
        (#"{"url":"http://a","metalink":"read"}"#, "/metalink", .unknownWord),
        (#"{"url":1}"#, "/url", .wrongType), (#"{"url":"ftp:a"}"#, "/url", .malformed),
        (#"{"url":"http://a","filename":"../x"}"#, "/filename", .malformed),
        (#"{"url":"http://a","directory":"/etc"}"#, "/directory", .malformed),
        (#"{"url":"http://a","on_conflict":"ask"}"#, "/on_conflict", .unknownWord),
        (#"{"url":"http://a","session":"-"}"#, "/session", .malformed),
        (#"{"url":"http://a","request_headers":{"hOst":"x"}}"#, "/request_headers/hOst", .forbidden),
        (#"{"url":"http://a","request_headers":{"Proxy-X":"x"}}"#, "/request_headers/Proxy-X", .forbidden),
        (#"{"url":"http://a","request_headers":{"a b":"x"}}"#, "/request_headers/a b", .malformed),
        (#"{"url":"http://a","request_headers":{"A":"x\r\nB: y"}}"#, "/request_headers/A", .malformed),
        (#"{"url":"http://a","request_headers":{"A":1}}"#, "/request_headers/A", .wrongType),
        (#"{"url":"http://a","authentication":"basic"}"#, "/authentication", .wrongType),
        (#"{"url":"http://a","authentication":{}}"#, "/authentication/scheme", .required),
        (
            #"{"url":"http://a","authentication":{"scheme":"ntlm","username":"a"}}"#, "/authentication/scheme",
            .unknownWord
        ),
        (#"{"url":"http://a","authentication":{"scheme":"digest"}}"#, "/authentication/username", .required),
        (
            #"{"url":"http://a","authentication":{"scheme":"basic","username":"a:b"}}"#, "/authentication/username",
            .malformed
        ),
        (
            #"{"url":"http://a","authentication":{"scheme":"basic","username":"a","password":"\n"}}"#,
            "/authentication/password", .malformed
        ),
        (
            #"{"url":"http://a","authentication":{"scheme":"basic","username":"a","token":"b"}}"#,
            "/authentication/token", .unknownMember
        ),
        (#"{"url":"http://a","authentication":{"scheme":"bearer"}}"#, "/authentication/token", .required),
        (
            #"{"url":"http://a","authentication":{"scheme":"bearer","token":"a b"}}"#, "/authentication/token",
            .malformed
        ),
        (
            #"{"url":"http://a","authentication":{"scheme":"bearer","token":"a","username":"b"}}"#,
            "/authentication/username", .unknownMember
        ),
        (#"{"url":"http://a","cookies":["a"]}"#, "/cookies", .wrongType),
        (#"{"url":"http://a","cookies":{"a":null}}"#, "/cookies/a", .wrongType),
        (#"{"url":"http://a","cookies":{"a b":"1"}}"#, "/cookies/a b", .malformed),
        (#"{"url":"http://a","cookies":{"a":"1; b=2"}}"#, "/cookies/a", .malformed),
        (#"{"url":"http://a","cookies":{"a":"1\r\nX: y"}}"#, "/cookies/a", .malformed),
        (#"{"url":"http://a","method":"PUT"}"#, "/method", .unknownWord),
        (#"{"url":"http://a","body":{"text":"x"}}"#, "/body", .forbidden),
        (#"{"url":"http://a","method":"POST","body":"x"}"#, "/body", .wrongType),
        (#"{"url":"http://a","method":"POST","body":{}}"#, "/body", .required),
        (#"{"url":"http://a","method":"POST","body":{"text":"","base64":""}}"#, "/body", .forbidden),
        (#"{"url":"http://a","method":"POST","body":{"base64":"*"}}"#, "/body/base64", .malformed),
        (#"{"url":"http://a","expected":{"size_bytes":-1}}"#, "/expected/size_bytes", .outOfRange),
        (#"{"url":"http://a","expected":{"sha256":"x"}}"#, "/expected/sha256", .unknownMember),
        (#"{"url":"http://a","expected":{"digests":{"sha-256":"ab"}}}"#, "/expected/digests/sha-256", .malformed),
        (#"{"url":"http://a","expected":{"digests":{"crc":"ab"}}}"#, "/expected/digests/crc", .unknownMember),
        (#"{"url":"http://a","limits":{"max_bytes":0}}"#, "/limits/max_bytes", .outOfRange),
        (
            #"{"url":"http://a","limits":{"rate_bytes_per_second":1023}}"#, "/limits/rate_bytes_per_second",
            .outOfRange
        ),
        (#"{"url":"http://a","limits":{"connections":0}}"#, "/limits/connections", .outOfRange),
        (#"{"url":"http://a","limits":{"connections":33}}"#, "/limits/connections", .outOfRange),
        (#"{"url":"http://a","limits":{"rate":1}}"#, "/limits/rate", .unknownMember),
        (#"{"url":"http://a","timeouts":{"connect_seconds":0}}"#, "/timeouts/connect_seconds", .outOfRange),
        (#"{"url":"http://a","timeouts":{"connect_seconds":601}}"#, "/timeouts/connect_seconds", .outOfRange),
        (#"{"url":"http://a","timeouts":{"silence_seconds":86401}}"#, "/timeouts/silence_seconds", .outOfRange),
        (#"{"url":"http://a","timeouts":{"give_up_seconds":"1h"}}"#, "/timeouts/give_up_seconds", .wrongType),
        (#"{"url":"http://a","timeouts":{"total_seconds":1}}"#, "/timeouts/total_seconds", .unknownMember),
        (#"{"url":"http://a","timeouts":30}"#, "/timeouts", .wrongType),
        (#"{"url":"http://a","retry":{"delay_seconds":0.5}}"#, "/retry/delay_seconds", .outOfRange),
        (#"{"url":"http://a","retry":{"max_delay_seconds":0}}"#, "/retry/max_delay_seconds", .outOfRange),
        (#"{"url":"http://a","retry":{"statuses":503}}"#, "/retry/statuses", .wrongType),
        (#"{"url":"http://a","retry":{"statuses":[503,200]}}"#, "/retry/statuses/1", .outOfRange),
        (#"{"url":"http://a","retry":{"statuses":["503"]}}"#, "/retry/statuses/0", .wrongType),
        (#"{"url":"http://a","retry":{"tries":2}}"#, "/retry/tries", .unknownMember),
        (#"{"url":"http://a","max_attempts":1.5}"#, "/max_attempts", .outOfRange),
        (#"{"url":"http://a","max_attempts":"1"}"#, "/max_attempts", .wrongType),
        (#"{"url":"http://a","deadline_at":"tomorrow"}"#, "/deadline_at", .malformed),
        (#"{"url":"http://a","start":"yes"}"#, "/start", .wrongType),
        (#"{"url":"http://a","description":1}"#, "/description", .wrongType),
        (#"{"url":"http://a","description":"a\tb"}"#, "/description", .malformed),
        (#"{"url":"http://a","description":"a\u0001b"}"#, "/description", .malformed),
        (#"{"url":"http://a","description":"a\r\nb"}"#, "/description", .malformed),
        (#"{"url":"http://a","description":"a\u0085b"}"#, "/description", .malformed),
        (#"{"url":"http://a","labels":{"a":1}}"#, "/labels/a", .wrongType),
        (#"{"url":"http://a","labels":[]}"#, "/labels", .wrongType),
        (#"{"url":"http://a","metadata":{"":1}}"#, "/metadata/", .tooLong),
        (#"{"url":"http://a","dedupe_key":"a b"}"#, "/dedupe_key", .malformed),
    ] as [(String, String, Violation.Code)]
)
func aMistakeIsNamedWithItsPlace(_ json: String, _ pointer: String, _ code: Violation.Code) {
    let found = violations(json)

    #expect(found.map(\.pointer.text) == [pointer])
    #expect(found.map(\.code) == [code])
}

@Test func allMistakesAreToldAtOnce() {
    let found = violations(#"{"url":1,"start":2,"x":3}"#)

    #expect(found.map(\.pointer.text) == ["/url", "/start", "/x"])
}

@Test func aFloodOfMistakesIsCut() {
    let members = (0..<5000).map { "\"m\($0)\":0" }.joined(separator: ",")

    #expect(violations("{\(members)}").count == ViolationList.limit)
}

@Test func ownObjectsHaveLimits() {
    let many = (0..<51).map { "\"m\($0)\":\"\"" }.joined(separator: ",")
    let long = String(repeating: "x", count: 16_384)

    #expect(violations("{\"url\":\"http://a\",\"labels\":{\(many)}}").map(\.code) == [.tooMany])
    #expect(violations("{\"url\":\"http://a\",\"metadata\":{\"a\":\"\(long)\"}}").map(\.code) == [.tooLong])
}

@Test func aViolationNeverRepeatsAValue() {
    let found = violations(
        #"{"url":"hunter2","session":"hunter2!","request_headers":{"A":"hunter2\n"},"start":"hunter2"}"#
    )

    #expect(found.count == 4)
    #expect(!found.contains { $0.detail.contains("hunter2") })
}

@Test(arguments: [(32, true), (33, false)])
func moreThanThirtyTwoMirrorsAreRefused(_ count: Int, _ isTaken: Bool) {
    let mirrors = (0..<count).map { "\"http://a/\($0)\"" }.joined(separator: ",")

    #expect(violations("{\"url\":\"http://a\",\"mirrors\":[\(mirrors)]}").isEmpty == isTaken)
}

@Test func aBodyHasAtMost64KiB() throws {
    let most = String(repeating: "x", count: 64 << 10)
    let json = { (text: String) in #"{"url":"http://a","method":"POST","body":{"text":"\#(text)"}}"# }

    #expect(try RequestedDownload(parsing: Array(json(most).utf8)).credentials.postBody?.count == 64 << 10)
    #expect(violations(json(most + "x")).map(\.code) == [.tooLong])
}

@Test(
    arguments: [
        (#"{"scheme":"basic","username":"me"}"#, .basic(username: "me", password: "")),
        (#"{"scheme":"basic","username":"","password":"a:b ü"}"#, .basic(username: "", password: "a:b ü")),
        (#"{"scheme":"digest","username":"me","password":"p"}"#, .digest(username: "me", password: "p")),
        (#"{"scheme":"bearer","token":"t"}"#, .bearer(token: "t")),
    ] as [(String, OriginAuthentication)]
)
func anAuthenticationIsRead(_ json: String, _ expected: OriginAuthentication) throws {
    let body = try RequestedDownload(parsing: Array(#"{"url":"http://a","authentication":\#(json)}"#.utf8))

    #expect(body.credentials.authentication == expected)
}

@Test(arguments: [(1024, nil), (1025, .tooLong)] as [(Int, Violation.Code?)])
func aDescriptionHasAtMostAThousandAndTwentyFourCharacters(_ length: Int, _ code: Violation.Code?) {
    let text = String(repeating: "\u{1F680}", count: length)
    let found = violations(#"{"url":"http://a","description":"\#(text)"}"#)

    #expect(found.first?.code == code)
    #expect(found.map { "\($0.pointer)" } == (code == nil ? [] : ["/description"]))
}
