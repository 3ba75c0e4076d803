import Core
import HTTPFields
import ServiceSupport
import Testing

@testable import API

private func read(_ json: String) throws -> DownloadPatch {
    try DownloadPatch(parsing: Array(json.utf8))
}

@Test func theDescribedPatchesAreRead() throws {
    let content = try Description.at("paths", "/downloads/{id}", "patch", "requestBody", "content")

    #expect(content.names == [RequestContext.acceptPatch])
    let examples = try #require(content[RequestContext.acceptPatch]?["examples"])
    for name in examples.names {
        let value = try #require(examples[name]?["value"])
        #expect(throws: Never.self) { try DownloadPatch(parsing: value.bytes) }
    }
}

@Test func anActionComesWithItsOptions() throws {
    let body = try read(#"{"action":"cancel","keep_partial":true,"expected_revision":7}"#)

    #expect(body.action == .cancel && body.keepsPartial && body.expectedRevision == 7)
}

@Test func nullClearsAndAbsenceLeaves() throws {
    let body = try read(#"{"max_attempts":null,"limits":{"max_bytes":null},"request_headers":null}"#)

    #expect(body.edit[\.maxAttempts] == .some(nil) && body.edit[\.maxBytes] == .some(nil))
    #expect(body.requestHeaders == .clear && body.edit[\.rateBytesPerSecond] == nil)
    #expect(body.labels == nil && body.edit[\.deadline] == nil && body.url == nil)
}

@Test(
    arguments: [
        (#"{"limits":{"rate_bytes_per_second":2048}}"#, nil, .some(2048)),
        (#"{"limits":{"rate_bytes_per_second":null}}"#, nil, .some(nil)),
        (#"{"limits":{"max_bytes":5}}"#, .some(5), nil), (#"{"limits":null}"#, .some(nil), .some(nil)),
        (#"{"max_attempts":1}"#, nil, nil),
    ] as [(String, Int64??, Int64??)]
)
func limitsAreMergedNameByName(_ json: String, _ maxBytes: Int64??, _ rate: Int64??) throws {
    let body = try read(json)

    #expect(body.edit[\.maxBytes] == maxBytes)
    #expect(body.edit[\.rateBytesPerSecond] == rate)
}

@Test func timeoutsAndRetriesAreMergedNameByName() throws {
    let some = try read(#"{"timeouts":{"connect_seconds":5,"give_up_seconds":null},"retry":{"statuses":[]}}"#).edit
    let all = try read(#"{"timeouts":null,"retry":null}"#).edit

    #expect(some[\.retry.connectTimeout] == .some(WholeSeconds(5)) && some[\.retry.giveUpAfter] == .some(nil))
    #expect(some[\.retry.silenceTimeout] == nil && some[\.retry.statuses] == .some(HTTPStatuses([])))
    #expect(some[\.retry.delay] == nil && some[\.retry.maxDelay] == nil)
    #expect(all[\.retry.connectTimeout] == .some(nil) && all[\.retry.silenceTimeout] == .some(nil))
    #expect(all[\.retry.giveUpAfter] == .some(nil) && all[\.retry.delay] == .some(nil))
    #expect(all[\.retry.maxDelay] == .some(nil) && all[\.retry.statuses] == .some(nil))
}

@Test(
    arguments: [
        (#"{"limits":{"connections":2}}"#, .some(2)), (#"{"limits":{"connections":null}}"#, .some(nil)),
        (#"{"limits":null}"#, .some(nil)), (#"{"limits":{}}"#, nil),
    ] as [(String, Int??)]
)
func connectionsAreMergedToo(_ json: String, _ connections: Int??) throws {
    #expect(try read(json).edit[\.connections] == connections)
}

@Test(
    arguments: [
        (#"{}"#, "", .required), (#"{"action":null}"#, "/action", .wrongType),
        (#"{"action":"stop"}"#, "/action", .unknownWord),
        (#"{"keep_partial":true}"#, "/action", .required),
        (#"{"expected_revision":0}"#, "/expected_revision", .outOfRange),
        (#"{"state":"paused"}"#, "/state", .unknownMember), (#"{"url":null}"#, "/url", .wrongType),
        (#"{"deadline_at":null}"#, "/deadline_at", .wrongType),
        (#"{"not_before":null}"#, "/not_before", .unknownMember),
        (#"{"session":""}"#, "/session", .malformed), (#"{"directory":"../a"}"#, "/directory", .malformed),
        (#"{"filename":"a/b"}"#, "/filename", .malformed), (#"{"webhook_ids":["a"]}"#, "/webhook_ids/0", .malformed),
        (#"{"expected":{"size_bytes":-1}}"#, "/expected/size_bytes", .outOfRange),
        (#"{"expected":{"digests":{"md5":"ab"}}}"#, "/expected/digests/md5", .malformed),
        (#"{"expected":{"size":1}}"#, "/expected/size", .unknownMember),
        (#"{"method":null}"#, "/method", .wrongType),
        (#"{"authentication":{"username":"a"}}"#, "/authentication/scheme", .required),
        (#"{"cookies":{"a":1}}"#, "/cookies/a", .wrongType),
        (#"{"labels":{"a":1}}"#, "/labels/a", .wrongType),
        (#"{"request_headers":{"Range":null}}"#, "/request_headers/Range", .forbidden),
    ] as [(String, String, Violation.Code)]
)
func aMistakeInAPatchIsNamed(
    _ json: String,
    _ pointer: String,
    _ code: Violation.Code
) {
    let fault = #expect(throws: BodyError.self) { try read(json) }
    guard case .violations(let found)? = fault else { return }
    #expect(found.map(\.pointer.text) == [pointer] && found.map(\.code) == [code])
}

@Test func thePlaceAndTheExpectationsAreRead() throws {
    let body = try read(
        #"{"session":null,"directory":"a/b","filename":null,"webhook_ids":null,"expected":{"size_bytes":5}}"#
    )
    var size = ExpectedPatch()
    size.sizeBytes = .set(5)

    #expect(body.edit.session == .clear && body.edit.filename == .clear && body.edit.webhookIDs == [])
    #expect(body.directory == .set(try DirectoryTemplate(parsing: "a/b")) && body.expected == size && body.hasEdit)
    #expect(try read(#"{"expected":null}"#).expected == .clear)
    #expect(try read(#"{"expected":{"digests":{"md5":null}}}"#).expected?.digests == [.md5: .clear])
    #expect(try read(#"{"expected":{"digests":null}}"#).expected?.removesOtherDigests == true)
}

@Test func anObjectIsMergedNameByName() throws {
    let current = JSONText(canonical: #"{"a":"1","b":{"c":1,"d":2}}"#)
    let body = try read(#"{"metadata":{"a":null,"b":{"c":null,"e":3},"f":[null]}}"#)

    let change = try #require(body.metadata).applied(to: current)

    #expect(change == .set(JSONText(canonical: #"{"b":{"d":2,"e":3},"f":[null]}"#)))
}

@Test func anObjectThatLosesItsLastMemberIsCleared() throws {
    let body = try read(#"{"labels":{"a":null}}"#)

    #expect(try #require(body.labels).applied(to: JSONText(canonical: #"{"a":"1"}"#)) == .clear)
    #expect(try #require(body.labels).applied(to: nil) == .clear)
}

@Test func anObjectThatOutgrowsItsLimitsIsRefused() throws {
    let current = (0..<50).map { "\"m\($0)\":\"\"" }.joined(separator: ",")
    let body = try read(#"{"labels":{"one_more":""}}"#)
    let patch = try #require(body.labels)

    #expect(throws: Violations.self) { try patch.applied(to: JSONText(canonical: "{\(current)}")) }
}

@Test func headerFieldsAreMergedWithoutRegardToCase() throws {
    let fields = [
        RequestCredentials.Header(name: "Cookie", value: "1"), RequestCredentials.Header(name: "X-A", value: "2"),
    ]
    let patch = try #require(try read(#"{"request_headers":{"cookie":null,"x-a":"3","X-B":"4"}}"#).requestHeaders)

    #expect(
        patch.applied(to: fields) == [
            RequestCredentials.Header(name: "x-a", value: "3"), RequestCredentials.Header(name: "X-B", value: "4"),
        ]
    )
    #expect(HeaderPatch.clear.applied(to: fields).isEmpty)
}
