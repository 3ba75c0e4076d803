import Core
import Linux
import TestSupport
import Testing
import TransferRules
import TransferSupport

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

    @Test func gapsBetweenSegmentsAreRequestedOneByOne() async throws {
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
            let part = try bench.engine.disk.folders.parts.openFile(named: assignment.part.text, access: .update)
            // Not every file system has room for the largest.
            guard (try? part.truncate(to: durable)) != nil else { return }

            let file = try #require(await bench.attempt(assignment).file)

            #expect(file.sizeBytes == content.size)
            #expect(bench.origin.requests.first?.value(of: "range") == "bytes=\(durable)-\(content.size - 1)")
            var tail = [UInt8](repeating: 0, count: 1001)
            let count = try bench.engine.disk.folders.downloads.openFile(relative: file.path).read(
                into: &tail,
                at: durable
            )
            #expect(Array(tail[..<count]) == content.bytes(in: durable..<content.size))
        }
    }

    @Test func metadataOfTheFirstResponseIsKeptByPartialResponses() async throws {
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

/// Random files from random bad origins. The seed is in the test's name, so that a failing one can be repeated.
struct RandomTests {
    private static let fileCount = 25

    /// With several connections at once as with one.
    @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6], [1, 4])
    func noWrongFileIsEverPublishedAndEveryRightOneIs(seed: UInt64, connections: Int) async throws {
        var random = SplitMix64(seed: seed)
        let settings = Change<EngineSettings>.change { settings in
            settings.connections = connections
            settings.ramp.minimumShare = 1000
            settings.ramp.worthwhileTime = .zero
            settings.ramp.shortestStep = .zero
            settings.ramp.leastSample = 0
        }
        try await withBench(settings: settings, runsByItself: connections > 1) { bench in
            for number in 0..<Self.fileCount {
                let content = Content(seed: random.next(), size: Self.size(&random))
                bench.origin.serve("/\(number)", content, script: Self.script(content.size, &random))

                let coverage = Coverage()
                let checkpointSink = MemoryCheckpointSink { _, entry in
                    coverage.record(entry)
                    return .record
                }
                let outcomes = await bench.attempts(try bench.assignment("/\(number)"), checkpointSink, atMost: 12)
                #expect(coverage.faults == [], "file \(number)")

                let last = try #require(outcomes.last)
                let isOne = [0, 1].contains { bench.holds(last.file, content.at(version: $0)) }
                #expect(isOne || last.errorCode == .originUnstable, "file \(number): \(last)")
                if isOne { #expect([content, content.at(version: 1)].contains { [$0.sha256] == last.file?.digests }) }
            }
            #expect(bench.parts.count <= Self.fileCount)
        }
    }

    private static func size(_ random: inout SplitMix64) -> Int64 {
        let limit = random.pick([3, 5000, 300_000, 1_500_000] as [Int64])
        return Int64.random(in: 0...limit, using: &random)
    }

    /// Up to four spoilt answers, then good ones.
    private static func script(_ size: Int64, _ random: inout SplitMix64) -> [Behaviour] {
        var version = 0
        let spoilt = (0..<Int.random(in: 0...4, using: &random)).map { _ in
            if random.chance(oneIn: 5) { version = 1 }
            return damagedResponse(size, version: version, &random)
        }
        return spoilt + [.version(version)]
    }

    private static func damagedResponse(_ size: Int64, version: Int, _ random: inout SplitMix64) -> Behaviour {
        if random.chance(oneIn: 8) { return .page(random.pick([500, 503, 404, 206, 416])) }
        return Behaviour {
            $0.subject = .version(version)
            $0.ending = .cut(after: Int64.random(in: 0...size, using: &random), by: random.pick([.fin, .reset]))
            $0.honoursIfRange = !random.chance(oneIn: 3)
            $0.framing = random.pick([.contentLength, .contentLength, .chunked])
            $0.validators = random.pick([
                .strong, .strong, .weak, .etagOnly, .lastModifiedOnly, .omittedFromPartial, .absent,
            ])
            $0.ranges = random.pick([
                .honoured, .honoured, .ignored, .shifted(by: 7), .shifted(by: -7), .shortened(to: 1000),
                .wholeAsPartial, .labelled(nil), .totalled(nil), .multipart,
            ])
        }
    }
}
