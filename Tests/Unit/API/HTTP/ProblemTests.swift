import Core
import HTTPServer
import HTTPTypes
import Service
import ServiceSupport
import Testing

@testable import API

struct ProblemTests {
    private static let refusals: [(ServiceError, ProblemType)] = [
        (.invalid([Violation("/url", .malformed, "It is no URL.")]), .invalidRequest),
        (.unprocessable([Violation("/deadline_at", .malformed, "It has passed.")]), .unprocessable),
        (.destinationForbidden(.address, pointer: "/url"), .destinationForbidden),
        (.notFound, .notFound),
        (
            .invalidTransition(InvalidTransition(action: .pause, state: .failed, allowedActions: [.retry])),
            .invalidTransition
        ),
        (.dedupeKeyTaken(by: DownloadID(at: Timestamp(milliseconds: 0)), .failed), .dedupeKeyTaken),
        (.revisionMismatch(current: 3), .revisionMismatch),
        (.fieldLocked(["url"], .running), .fieldLocked),
        (.notTerminal(.running), .notTerminal),
        (.sessionNotTerminal(open: 1), .notTerminal),
        (.sessionSealed(pointer: "/session"), .sessionSealed),
        (.busy, .busy),
        (.idempotencyKeyReused, .idempotencyKeyReused),
        (.queueFull, .queueFull),
        (.fileNotReady(.running), .fileNotReady),
        (.fileGone, .fileGone),
        (.rootUnavailable("The root 'a' is not available: no such folder."), .rootUnavailable),
        (.draining, .draining),
        (.insufficientStorage, .insufficientStorage),
        (.outcomeUnknown, .outcomeUnknown),
    ]

    @Test(arguments: refusals)
    func everyRefusalIsAProblemOfItsOwn(_ refusal: ServiceError, _ type: ProblemType) {
        let problem = Problem(because: refusal)

        #expect(problem.body.type == type)
        #expect(problem.response(requestID: "req_1").status.code == type.status)
    }

    @Test(arguments: [ServiceError.busy, .queueFull, .draining, .outcomeUnknown, .rootUnavailable("")])
    func temporaryProblemsHaveARetryAfter(_ refusal: ServiceError) {
        #expect(Problem(because: refusal).fields[.retryAfter] != nil)
    }
}

@Test func aBrokenTextIsToldWithItsPlace() throws {
    let problem = ProblemBody(.json(JSONParseError(.duplicateName, at: 41)))

    #expect(problem.type == .invalidJSON)
    #expect(problem.detail == "An object has two members with one name. At byte 41.")
}

@Test func eachMistakeHasAPointer() throws {
    let violation = Violation(JSONPointer.root.appending("a/b"), .unknownMember, "Unknown member.")
    var problem = ProblemBody(.violations([violation]))
    problem.requestID = "req_1"

    let value = try JSONValue(parsing: problem.encoded())

    #expect(value["type"] == .string("/problems/invalid-request") && value["status"] == .number("400"))
    #expect(value["instance"] == .string("/requests/req_1"))
    let error = #"[{"code":"unknown_member","detail":"Unknown member.","pointer":"/a~1b"}]"#
    #expect(value["errors"]?.canonical == error)
}

@Test func aRefusedActionTellsWhatIsAllowed() throws {
    let refusal = InvalidTransition(action: .pause, state: .failed, allowedActions: [.retry])

    let value = try JSONValue(parsing: Problem(because: .invalidTransition(refusal)).body.encoded())

    #expect(value["status"] == .number("409") && value["state"] == .string("failed"))
    #expect(value["action"] == .string("pause") && value["allowed_actions"]?.words == ["retry"])
}

@Test func everyExtraHasItsMember() throws {
    let extras: [ProblemBody.Extra] = [
        .state(.running), .action(.pause), .allowedActions([]), .revision(1),
        .downloadID(DownloadID(at: Timestamp(milliseconds: 0))), .reason(.port), .limitBytes(1),
        .accepted(["a/b"]),
    ]
    let value = try JSONValue(parsing: ProblemBody(.busy, extras: extras).encoded())

    let described = try #require(try Description.schema("Problem")["properties"]).names
    #expect(Set(value.names).isSubset(of: described))
    #expect(value.names.count == 3 + extras.count)
}

@Test(arguments: ProblemType.allCases)
func everyProblemIsExplained(_ type: ProblemType) {
    #expect((400...599).contains(type.status))
    #expect(!type.title.isEmpty && type.explanation != type.title)
    #expect(type.page.hasPrefix(type.title) && type.page.hasSuffix("\n"))
    #expect(type.slug.wholeMatch(of: /[a-z][a-z-]{1,63}/) != nil)
}

@Test func aLockedMemberIsNamed() {
    let problem = Problem(because: .fieldLocked(["url"], .running)).body

    #expect(problem.errors.first?.place == .pointer(JSONPointer.root.appending("url")))
    #expect(problem.extras == [.state(.running)])
}
