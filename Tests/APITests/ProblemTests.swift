@testable import API
import Core
import HTTPServer
import HTTPTypes
import Service
import Testing

struct ProblemTests {
    private static let refusals: [(JobError, ProblemType)] = [
        (.invalid([JobError.Violation(pointer: "/url", detail: "It is no URL.")]), .invalidRequest),
        (.unprocessable([JobError.Violation(pointer: "/deadline_at", detail: "It has passed.")]), .unprocessable),
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
        (.draining, .draining),
        (.insufficientStorage, .insufficientStorage),
        (.outcomeUnknown, .outcomeUnknown),
    ]

    @Test(arguments: refusals)
    func everyRefusalIsAProblemOfItsOwn(_ refusal: JobError, _ type: ProblemType) {
        let problem = Problem(because: refusal)

        #expect(problem.body.type == type)
        #expect(problem.response(requestID: "req_1").status.code == type.status)
    }

    @Test(arguments: [JobError.busy, .queueFull, .draining, .outcomeUnknown])
    func whatPassesSaysWhenToAskAgain(_ refusal: JobError) {
        #expect(Problem(because: refusal).fields[.retryAfter] != nil)
    }
}
