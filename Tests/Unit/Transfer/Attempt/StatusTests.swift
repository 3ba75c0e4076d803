import Core
import HTTPFields
import Linux
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// Answers that carry no file: they fail with a stable code, keep the bytes, and never get into the file.
struct StatusTests {
    struct Response: CustomTestStringConvertible, Sendable {
        let status: Int
        let code: DownloadError.Code
        let failureClass: FailureClass

        init(_ status: Int, _ code: DownloadError.Code, _ failureClass: FailureClass) {
            self.status = status
            self.code = code
            self.failureClass = failureClass
        }

        var testDescription: String { "\(status)" }
    }

    static let always = [
        Response(201, .badResponse, .transient(.retries(1))), Response(202, .badResponse, .transient(.retries(1))),
        Response(204, .badResponse, .transient(.retries(2))), Response(205, .badResponse, .transient(.retries(1))),
        Response(207, .badResponse, .transient(.retries(1))), Response(208, .badResponse, .transient(.retries(1))),
        Response(226, .badResponse, .transient(.retries(1))), Response(300, .badResponse, .transient(.retries(1))),
        Response(304, .badResponse, .transient(.retries(1))), Response(305, .badResponse, .transient(.retries(1))),
        Response(400, .httpClientError, .permanent), Response(404, .fileNotFound, .transient(.notFound)),
        Response(410, .httpClientError, .permanent), Response(429, .httpClientError, .transient(.untilGivenUp)),
        Response(451, .httpClientError, .permanent), Response(500, .httpServerError, .transient(.untilGivenUp)),
        Response(501, .httpServerError, .transient(.retries(2))),
        Response(502, .httpServerError, .transient(.untilGivenUp)),
        Response(503, .httpServerError, .transient(.untilGivenUp)),
        Response(504, .httpServerError, .transient(.untilGivenUp)),
        Response(511, .httpServerError, .transient(.middlebox)),
        Response(520, .httpServerError, .transient(.untilGivenUp)),
        Response(599, .httpServerError, .transient(.retries(2))), Response(999, .badResponse, .transient(.retries(1))),
    ]

    private static let first = [
        Response(401, .authRequired, .permanent), Response(403, .authRequired, .permanent),
        Response(407, .authRequired, .permanent), Response(412, .httpClientError, .permanent),
    ]

    private static let resumed = [
        Response(401, .authRequired, .credentials), Response(403, .authRequired, .credentials),
        Response(407, .authRequired, .credentials),
    ]

    @Test(arguments: always + first)
    func aFirstAnswerThatIsNoFileFailsTheAttempt(response: Response) async throws {
        try await withBench(script: [.page(response.status)]) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcome = await bench.attempt(try bench.assignment(), checkpointSink)

            #expect(outcome.errorCode == response.code)
            #expect(outcome.failure?.failureClass == response.failureClass)
            #expect(outcome.failure?.error.httpStatus == response.status)
            #expect(checkpointSink.entries.isEmpty)
            #expect(bench.parts.isEmpty && bench.files.isEmpty)
        }
    }

    @Test(arguments: always + resumed)
    func anErrorOnTheWayKeepsTheBytesAndStaysOutOfTheFile(response: Response) async throws {
        let script: [Behaviour] = [.dropping(after: 100_000), .page(response.status), .good]
        try await withBench(Content(size: 300_000), script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()
            _ = await bench.attempt(try bench.assignment(), checkpointSink)
            let second = try #require(checkpointSink.assignment)

            let refused = await bench.attempt(second, checkpointSink)
            let outcome = await bench.attempt(try #require(checkpointSink.assignment), checkpointSink)

            #expect(refused.errorCode == response.code)
            #expect(refused.failure?.failureClass == response.failureClass)
            #expect(!refused.madeProgress)
            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.restarts.isEmpty)
            #expect(bench.origin.requests.last?.value(of: "range") == "bytes=100000-299999")
        }
    }

    @Test func aFailedConditionBeginsAnew() async throws {
        let script: [Behaviour] = [.dropping(after: 100_000), .page(412), .version(1)]
        try await withBench(Content(size: 300_000), script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcomes.last?.file, bench.content.at(version: 1)))
            #expect(checkpointSink.restarts == ["precondition_failed"])
        }
    }

    @Test(arguments: [
        ("120", Duration.seconds(120)), ("0", .seconds(1)), ("Tue, 15 Nov 1994 08:13:31 GMT", .seconds(60)),
        ("Tue, 15 Nov 1994 08:00:00 GMT", .seconds(1)),
    ])
    func theOriginsWishToBeLeftAloneIsPassedOn(text: String, delay: Duration) async throws {
        for status in [429, 503] {
            try await withBench(script: [.unavailable(status, retryAfter: text)]) { bench in
                let outcome = await bench.attempt(try bench.assignment())

                #expect(outcome.failure?.retryAfter?.delay == delay)
            }
        }
    }

    @Test(arguments: ["soon", "-5", "1.5", ""])
    func aWishThatCannotBeReadIsNone(text: String) async throws {
        try await withBench(script: [.unavailable(503, retryAfter: text)]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .httpServerError)
            #expect(outcome.failure?.retryAfter == nil)
        }
    }

    @Test func aStatus203CarriesTheFile() async throws {
        try await withBench(script: [.page(203)]) { bench in
            let file = await bench.attempt(try bench.assignment("/file")).file

            let text = try bench.text(try #require(file).path)
            #expect(text.contains("203"))
        }
    }

    @Test func anEmptyAnswerNeverCompletesAFileThatHadBytes() async throws {
        let empty = Behaviour {
            $0.ranges = .ignored
            $0.framing = .wrongContentLength(by: -300_000)
        }
        try await withBench(Content(size: 300_000), script: [.dropping(after: 100_000), empty, .good]) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(outcomes[1].errorCode == .badResponse)
            #expect(outcomes[1].failure?.failureClass == .transient(.retries(2)))
            // What followed the empty answer on its connection may pass for the next answer; that is no reason to end.
            #expect(bench.holds(outcomes.last?.file))
        }
    }

    /// The name is one that never exists (RFC 6761, section 6.4), but whether anybody can say so is up to the machine.
    @Test func aNameThatDoesNotExistIsToldFromAResolverThatDoesNotAnswer() async throws {
        try await withBench { bench in
            let outcome = await bench.attempt(try bench.assignment("http://no-such-name.invalid/a"))

            let isKnown = !HostName.isUnknown("no-such-name.invalid")
            #expect(outcome.errorCode == .dnsFailure)
            #expect(outcome.failure?.failureClass == .transient(isKnown ? .untilGivenUp : .unknownName))
        }
    }
}

/// What the faults of some downloads mean for others of the same host.
@Suite(.hangLimit)
struct SharedFaultTests {
    @Test func bodiesThatBreakAfterNewBytesKeepNoDownloadFromTheHost() async throws {
        let content = Content(size: 400_000)
        let single = Change<EngineSettings>.change { $0.connections = 1 }
        try await withBench(content, script: [.dropping(after: 50_000)], settings: single) { bench in
            let runs = try await withThrowingTaskGroup(of: [AttemptOutcome].self) { group in
                for number in 0..<6 {
                    let assignment = try bench.assignment("/\(number)")
                    group.addTask { await bench.attempts(assignment, atMost: 12) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }

            #expect(runs.allSatisfy { bench.holds($0.last?.file, content) })
            #expect(runs.joined().allSatisfy { $0.file != nil || $0.failure != nil })
            #expect(bench.engine.hosts.snapshots.values.allSatisfy { $0.state == .available })
        }
    }
}
