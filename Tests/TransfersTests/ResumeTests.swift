import Core
import Linux
import Testing
import TestSupport
@testable import Transfer

/// A later attempt goes on from what is durable, and from nothing else.
struct ResumeTests {
    private static let content = Content(size: 2_000_000)

    @Test(arguments: [Int64(1), 65_536, 999_999, 1_999_999])
    func exactlyTheMissingBytesAreAskedFor(durable: Int64) async throws {
        try await withBench(Self.content) { bench in
            let outcome = await bench.attempt(try await bench.resumable(at: durable, total: Self.content.size))

            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.digests == [Self.content.sha256])
            let request = try #require(bench.origin.requests.first)
            #expect(request.value(of: "range") == "bytes=\(durable)-1999999")
            #expect(request.value(of: "if-range") == Self.content.etag)
            #expect(bench.origin.requests.count == 1)
        }
    }

    @Test func aPartLongerThanItsRecordIsOverwrittenFromTheRecordedEnd() async throws {
        try await withBench(Self.content) { bench in
            let assignment = try await bench.resumable(at: 1000, total: Self.content.size)
            try bench.write(
                Self.content.bytes(in: 0..<1000) + [UInt8](repeating: 0xEE, count: 3_000_000),
                to: assignment.part
            )

            let outcome = await bench.attempt(assignment)

            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.digests == [Self.content.sha256])
            #expect(bench.origin.requests.first?.value(of: "range") == "bytes=1000-1999999")
        }
    }

    @Test func whatSegmentsLeaveOutIsAskedForPieceByPiece() async throws {
        try await withBench(Self.content) { bench in
            var assignment = try await bench.resumable(at: 8000, total: Self.content.size)
            assignment.segments = [
                Segment(index: 0, start: 0, end: 5000, durableEnd: 1000),
                Segment(index: 1, start: 5000, end: 9000, durableEnd: 8000),
            ]

            let outcome = await bench.attempt(assignment)

            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.digests == [Self.content.sha256])
            #expect(bench.origin.requests.map { $0.value(of: "range") } == ["bytes=1000-4999", "bytes=8000-1999999"])
        }
    }

    @Test func rowsThatContradictEachOtherProveNothing() async throws {
        try await withBench(Self.content) { bench in
            var assignment = try await bench.resumable(at: 1000, total: Self.content.size)
            assignment.segments.append(Segment(index: 1, start: 5000, end: 9000, durableEnd: 8000))

            let outcome = await bench.attempt(assignment)

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.map { $0.value(of: "range") } == [nil])
        }
    }

    @Test func aFileThatIsWholeAlreadyNeedsNoOrigin() async throws {
        try await withBench(Self.content) { bench in
            bench.origin.stop()

            let outcome = await bench.attempt(
                try await bench.resumable(at: Self.content.size, total: Self.content.size)
            )

            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.digests == [Self.content.sha256])
        }
    }

    @Test(
        arguments: [
            (1 << 31) - 1, 1 << 31, (1 << 31) + 1, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, (1 << 43) - 1, (1 << 53) + 1,
        ] as [Int64]
    )
    func positionsBeyondThirtyTwoBitsAreExact(durable: Int64) async throws {
        let content = Content(size: durable + 1000)
        try await withBench(content, settings: .change { $0.digest = nil }) { bench in
            var assignment = try await bench.resumable(at: 0, total: content.size)
            assignment.segments[0].durableEnd = durable
            let part = try bench.engine.folders.parts.openFile(named: assignment.part.text, access: .update)
            // Not every file system has room for the largest.
            guard (try? part.truncate(to: durable)) != nil else { return }

            let file = try #require(await bench.attempt(assignment).file)

            #expect(file.sizeBytes == content.size)
            #expect(bench.origin.requests.first?.value(of: "range") == "bytes=\(durable)-\(content.size - 1)")
            var tail = [UInt8](repeating: 0, count: 1001)
            let count = try bench.engine.folders.downloads.openFile(relative: file.path).read(into: &tail, at: durable)
            #expect(Array(tail[..<count]) == content.bytes(in: durable..<content.size))
        }
    }

    @Test func whatTheFirstAnswerSaidIsKeptThroughPartsThatDoNotRepeatIt() async throws {
        let script = [
            Behaviour {
                $0.ending = .cut(after: 100_000, by: .fin)
                $0.extraFields = ["Content-Disposition: attachment; filename=\"named.iso\""]
            },
            .good,
        ]
        try await withBench(Self.content, script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(outcomes.last?.file?.path == "named.iso")
        }
    }
}
