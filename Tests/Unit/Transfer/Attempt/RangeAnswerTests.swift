import Core
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// What an origin may answer to the range of a resumed download. Nothing of it ever makes a wrong file.
struct RangeAnswerTests {
    struct Response: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let behaviour: Behaviour
        /// Why the bytes were thrown away.
        var restarts: [String] = []
        /// Requests, the first one included.
        var requests = 3
        var flagsHost = false

        init(
            _ description: String,
            _ behaviour: Behaviour,
            restarts: [String] = [],
            requests: Int = 3,
            flagsHost: Bool = false
        ) {
            testDescription = description
            self.behaviour = behaviour
            self.restarts = restarts
            self.requests = requests
            self.flagsHost = flagsHost
        }
    }

    static let size: Int64 = 300_000
    static let cut: Int64 = 100_000

    static let responses = [
        Response("good", .good, requests: 2),
        Response("range ignored", .ranges(.ignored)),
        Response(
            "range ignored, without a date",
            Behaviour {
                $0.ranges = .ignored
                $0.validators = .etagOnly
            },
            restarts: ["range_ignored"],
            requests: 2
        ),
        Response(
            "range ignored, without a length",
            Behaviour {
                $0.ranges = .ignored
                $0.validators = .etagOnly
                $0.framing = .chunked
            },
            restarts: ["not_resumable"]
        ),
        Response("earlier", .ranges(.shifted(by: -1000)), requests: 2),
        Response(
            "earlier, of another file",
            Behaviour {
                $0.ranges = .shifted(by: -1000)
                $0.subject = .version(1)
                $0.validators = .etag(Content(size: size).etag)
            },
            restarts: ["overlap_differs"]
        ),
        Response("later", .ranges(.shifted(by: 1000)), restarts: ["not_resumable"]),
        Response("shorter", .ranges(.shortened(to: 50_000)), requests: 3),
        Response("of the whole", .ranges(.wholeAsPartial), requests: 2),
        Response("multipart", .ranges(.multipart), restarts: ["not_resumable"], flagsHost: true),
        Response("without label", .ranges(.labelled(nil)), restarts: ["not_resumable"], flagsHost: true),
        Response("no label", .ranges(.labelled("")), restarts: ["not_resumable"], flagsHost: true),
        Response("no unit", .ranges(.labelled("100000-299999/300000")), restarts: ["not_resumable"], flagsHost: true),
        Response(
            "another unit",
            .ranges(.labelled("items 100000-299999/300000")),
            restarts: ["not_resumable"],
            flagsHost: true
        ),
        Response(
            "a colon",
            .ranges(.labelled("bytes: 100000-299999/300000")),
            restarts: ["not_resumable"],
            flagsHost: true
        ),
        Response("open", .ranges(.labelled("bytes 100000-/300000")), restarts: ["not_resumable"], flagsHost: true),
        Response(
            "backwards",
            .ranges(.labelled("bytes 299999-100000/300000")),
            restarts: ["not_resumable"],
            flagsHost: true
        ),
        Response(
            "past its total",
            .ranges(.labelled("bytes 100000-299999/200000")),
            restarts: ["not_resumable"],
            flagsHost: true
        ),
        Response(
            "too large a number",
            .ranges(.labelled("bytes 100000-299999/99999999999999999999")),
            restarts: ["not_resumable"],
            flagsHost: true
        ),
        Response("garbage", .ranges(.labelled("\u{1}\u{FF}%s%n")), restarts: ["not_resumable"], flagsHost: true),
        Response("total unknown", .ranges(.totalled(nil)), requests: 2),
        Response("another total", .ranges(.totalled(400_000)), restarts: ["total_changed"]),
        Response(
            "less than its label",
            Behaviour {
                $0.ranges = .labelled("bytes 100000-199999/300000")
                $0.framing = .contentLength
            },
            restarts: ["not_resumable"],
            flagsHost: true
        ),
        Response(
            "more than its label, unannounced",
            Behaviour {
                $0.ranges = .labelled("bytes 100000-199999/300000")
                $0.framing = .chunked
            },
            requests: 3
        ),
    ]

    @Test(arguments: responses)
    func theFileIsRightWhateverAnswersTheRange(response: Response) async throws {
        let content = Content(size: Self.size)
        try await withBench(content, script: [.dropping(after: Self.cut), response.behaviour, .good]) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)

            #expect(outcomes.count == 2)
            #expect(bench.holds(outcomes.last?.file))
            #expect(outcomes.last?.file?.digests == [content.sha256])
            #expect(checkpointSink.restarts == response.restarts)
            #expect(bench.origin.requests.count == response.requests)
            #expect(checkpointSink.refusedHosts.isEmpty != response.flagsHost)
            #expect(bench.parts.isEmpty)
        }
    }

    /// A 200 without a `Content-Range`, and as long as the range: the rest alone, which would pass for the file.
    @Test(
        arguments: [
            ["ETag: \(Content(size: size).etag)"], ["ETag: \(Content(size: size).etag)", "Last-Modified: x"], [],
            ["ETag: \"other\""], ["Last-Modified: \(Content(size: size).lastModified)"],
        ],
        [Behaviour.Framing.contentLength, .chunked]
    )
    func theRestInAnswerToARangeIsNotTheFile(fields: [String], framing: Behaviour.Framing) async throws {
        let content = Content(size: Self.size)
        let rest = Behaviour {
            $0.response = .bytes(content.bytes(in: Self.cut..<Self.size))
            $0.extraFields = fields
            $0.framing = framing
        }
        try await withBench(content, script: [.dropping(after: Self.cut), rest, .good]) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file))
            #expect(outcomes.last?.file?.sizeBytes == Self.size)
            #expect(bench.origin.requests.map { $0.value(of: "range") } == [nil, "bytes=100000-299999", nil])
        }
    }

    @Test func theRestInAnswerToAnOpenRangeIsNotTheFile() async throws {
        let content = Content(size: Self.size)
        let cut = Behaviour {
            $0.framing = .chunked
            $0.ending = .cut(after: Self.cut, by: .fin)
        }
        let rest = Behaviour {
            $0.response = .bytes(content.bytes(in: Self.cut..<Self.size))
            $0.extraFields = ["ETag: \(content.etag)"]
        }
        try await withBench(content, script: [cut, rest, .good]) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file))
            #expect(bench.origin.requests.map { $0.value(of: "range") } == [nil, "bytes=100000-", nil])
        }
    }

    @Test func anUnrequestedRangeIsRequestedAgainWithoutARange() async throws {
        try await withBench(Content(size: 5000), script: [.ranges(.unasked), .good]) { bench in
            let file = await bench.attempt(try bench.assignment()).file

            #expect(bench.holds(file))
            #expect(bench.origin.requests.count == 2)
        }
    }

    @Test func anOriginThatSendsNothingButRangesIsRefused() async throws {
        try await withBench(Content(size: 5000), script: [.ranges(.unasked)]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .badResponse)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(bench.origin.requests.count == 2)
        }
    }

    @Test func anOriginOfManyShortRangesIsAskedUntilTheFileIsWhole() async throws {
        let script: [Behaviour] = [.dropping(after: Self.cut), .ranges(.shortened(to: 20_000))]
        try await withBench(Content(size: Self.size), script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file))
            #expect(bench.origin.requests.count == 11)
        }
    }
}
