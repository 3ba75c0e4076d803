import Core
import Testing
import TestSupport
@testable import Transfer

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
                let keeper = MemoryKeeper { _, entry in
                    coverage.note(entry)
                    return .record
                }
                let outcomes = await bench.attempts(try bench.assignment("/\(number)"), keeper, atMost: 12)
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
            return spoiltAnswer(size, version: version, &random)
        }
        return spoilt + [.version(version)]
    }

    private static func spoiltAnswer(_ size: Int64, version: Int, _ random: inout SplitMix64) -> Behaviour {
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
