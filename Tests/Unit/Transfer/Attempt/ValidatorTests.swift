import Core
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// What a resumed download asks for depends on what the origin gave to tell versions by.
struct ValidatorTests {
    private func secondRequest(_ first: Behaviour) async throws -> RecordedRequest? {
        var cut = first
        cut.ending = .cut(after: 100_000, by: .fin)
        var found: RecordedRequest?
        var rest = first
        rest.ending = .complete
        try await withBench(Content(size: 300_000), script: [cut, rest]) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file))
            found = bench.origin.requests.dropFirst().first
        }
        return found
    }

    @Test func aStrongTagIsSentAsTheCondition() async throws {
        let request = try await secondRequest(.validators(.etagOnly))

        #expect(request?.value(of: "range") == "bytes=100000-299999")
        #expect(request?.value(of: "if-range") == Content(size: 300_000).etag)
    }

    @Test func aDateServesWhereThereIsNoTag() async throws {
        let request = try await secondRequest(.validators(.lastModifiedOnly))

        #expect(request?.value(of: "range") == "bytes=100000-299999")
        #expect(request?.value(of: "if-range") == Content(size: 300_000).lastModified)
    }

    @Test func aWeakTagIsNeverSentAndItsDateIsAnotherCondition() async throws {
        let request = try await secondRequest(.validators(.weak))

        #expect(request?.value(of: "if-range") == nil)
        #expect(request?.value(of: "if-unmodified-since") == Content(size: 300_000).lastModified)
    }

    @Test func withoutAValidatorNoRangeIsAsked() async throws {
        let request = try await secondRequest(.validators(.absent))

        #expect(request?.value(of: "range") == nil)
    }

    @Test(arguments: [
        "Tue, 15 Nov 1994 08:12:31 GMT", "Tue, 15 Nov 1994 08:11:32 GMT", "Tue, 15 Nov 1994 09:12:31 GMT", "yesterday",
    ])
    func aDateTooCloseToTheAnswerIsNoCondition(date: String) async throws {
        let request = try await secondRequest(
            Behaviour {
                $0.validators = .absent
                $0.extraFields = ["Last-Modified: \(date)"]
            }
        )

        #expect(request?.value(of: "if-range") == nil)
        #expect(request?.value(of: "range") == nil)
    }

    @Test(arguments: [
        "unquoted", "\"", "\"a\"b\"", "w/\"small\"", "\"\u{1}\"", "\"\(String(repeating: "x", count: 2000))\"",
    ])
    func aMalformedTagIsNone(tag: String) async throws {
        let request = try await secondRequest(.validators(.etag(tag)))

        #expect(request?.value(of: "if-range") == nil)
        #expect(request?.value(of: "range") == nil)
    }

    @Test(arguments: [("\"a\"", "\"a\"", true), ("\"a\"", "\"b\"", false)])
    func aTagThatIsThereTwiceIsOneIfBothAreEqual(_ first: String, _ second: String, isOne: Bool) async throws {
        let request = try await secondRequest(
            Behaviour {
                $0.validators = .absent
                $0.extraFields = ["ETag: \(first)", "ETag: \(second)"]
            }
        )

        #expect(request?.value(of: "range") == (isOne ? "bytes=100000-299999" : nil))
    }

    @Test func aTagThatDiffersAtEachRequestStillEndsWithTheFile() async throws {
        let script = [
            Behaviour {
                $0.validators = .unstable
                $0.ending = .cut(after: 100_000, by: .fin)
            },
            .validators(.unstable),
        ]
        try await withBench(Content(size: 300_000), script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            // What came in vain is what the first connection brought.
            #expect(bench.origin.requests.count == 2)
            #expect(checkpointSink.restarts == ["etag_changed"])
        }
    }

    @Test(arguments: ["none", "bytes", "items", ""])
    func theAcceptRangesFieldOfAnOriginIsIgnored(text: String) async throws {
        let behaviour = Behaviour {
            $0.extraFields = ["Accept-Ranges: \(text)"]
        }

        let request = try await secondRequest(behaviour)

        #expect(request?.value(of: "range") == "bytes=100000-299999")
    }

    @Test func aTagMissingFromThePartIsNoProof() async throws {
        let script = [
            Behaviour {
                $0.validators = .omittedFromPartial
                $0.ending = .cut(after: 100_000, by: .fin)
            },
            .validators(.omittedFromPartial),
        ]
        try await withBench(Content(size: 300_000), script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts == ["validator_missing"])
        }
    }

    /// What comes after the first restart makes up for what was thrown away, so it forgives no failure.
    @Test func anOriginThatCannotGoOnIsAskedForTheWholeAgainAndAgain() async throws {
        let cut = Behaviour {
            $0.validators = .absent
            $0.ending = .cut(after: 100_000, by: .fin)
        }
        let script = Array(repeating: cut, count: 6) + [.validators(.absent)]
        try await withBench(Content(size: 300_000), script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink, atMost: 9)

            #expect(outcomes.dropLast().map(\.errorCode) == Array(repeating: .connectFailed, count: 6))
            #expect(outcomes.dropLast().map(\.madeProgress) == [true] + Array(repeating: false, count: 5))
            #expect(checkpointSink.checkpoints.map(\.isProgress) == [true] + Array(repeating: false, count: 5))
            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts == Array(repeating: "not_resumable", count: 6))
            #expect(bench.parts.isEmpty)
        }
    }

    @Test func aHostKnownToRefuseRangesIsAskedForTheWhole() async throws {
        try await withBench(Content(size: 300_000), script: [.dropping(after: 100_000), .good]) { bench in
            let checkpointSink = MemoryCheckpointSink()
            _ = await bench.attempt(try bench.assignment(), checkpointSink)
            var second = try #require(checkpointSink.assignment)
            second.hostRefusesRanges = true

            let outcome = await bench.attempt(second, checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.last?.value(of: "range") == nil)
        }
    }
}
