import Core
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// A file that changes at the origin on the way: bytes of two versions never meet.
struct VersionTests {
    private static let content = Content(size: 300_000)

    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let behaviour: Behaviour
        var reason: String

        init(_ description: String, _ reason: String, _ change: (inout Behaviour) -> Void) {
            testDescription = description
            self.reason = reason
            behaviour = Behaviour(change)
        }
    }

    static let changes = [
        Change("If-Range honoured", "etag_changed") { $0.subject = .version(1) },
        Change("If-Range ignored", "etag_changed") {
            $0.subject = .version(1)
            $0.honoursIfRange = false
        },
        Change("grown", "total_changed") { $0.size = 400_000 },
        Change("shrunk", "total_changed") { $0.size = 200_000 },
        Change("shrunk below what is stored", "total_changed") { $0.size = 50_000 },
        Change("as long as what is stored", "end_unproven") { $0.size = 100_000 },
        Change("as long as what is stored, and whole", "total_changed") {
            $0.size = 100_000
            $0.ranges = .ignored
        },
        Change("the tag alone", "etag_changed") { $0.validators = .etag("\"other\"") },
        Change("the tag became weak", "etag_changed") { $0.validators = .weak },
        Change("encoded now", "encoding_changed") { $0.extraFields = ["Content-Encoding: gzip"] },
        Change("no validators any more", "validator_missing") { $0.validators = .absent },
        Change("no tag, though it had one", "validator_missing") { $0.validators = .lastModifiedOnly },
    ]

    @Test(arguments: changes)
    func aChangedFileIsBegunAnewAndNeverMixed(change: Change) async throws {
        let script: [Behaviour] = [.dropping(after: 100_000), change.behaviour]
        try await withBench(Content(size: 300_000), script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let version = change.behaviour.subject == .version(1) ? 1 : 0
            let now = bench.content.at(version: version).resized(to: change.behaviour.size ?? bench.content.size)

            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcomes.last?.file, now))
            #expect(outcomes.last?.file?.digests == [now.sha256])
            #expect(checkpointSink.restarts == [change.reason])
            #expect(bench.parts.isEmpty)
        }
    }

    @Test(
        arguments: [
            ["Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT"],
            ["Last-Modified: Thu, 01 Jan 1970 00:00:01 GMT", "ETag: \"1-493e0\""],
            ["Last-Modified: Tue, 01 Jan 1980 00:00:00 GMT", "ETag: \"12cea600-493e0\""],
            ["Last-Modified: Sat, 26 Oct 1985 08:15:00 GMT"],
        ]
    )
    func versionsThatAllHaveTheSameDateAreNeverMixed(fields: [String]) async throws {
        let first = Behaviour {
            $0.validators = .absent
            $0.extraFields = fields
            $0.ending = .cut(after: 100_000, by: .fin)
        }
        var changed = first
        changed.subject = .version(1)
        changed.honoursIfRange = false
        changed.ending = .complete
        try await withBench(Content(size: 300_000), script: [first, changed]) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file, bench.content.at(version: 1)))
            #expect(bench.origin.requests.last?.value(of: "range") == nil)
        }
    }

    @Test func aHonouredConditionCostsNoSecondRequest() async throws {
        let script: [Behaviour] = [.dropping(after: 100_000), .version(1)]
        try await withBench(Content(size: 300_000), script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file, bench.content.at(version: 1)))
            #expect(bench.origin.requests.count == 2)
        }
    }

    /// As Apache's mod_deflate does, with a tag of its own or with the same one.
    @Test(arguments: [("\"1-0-gzip\"", "encoding_changed"), (content.etag, "encoding_changed")])
    func anEncodingThatComesAndGoesIsNeverMixedIn(tag: String, reason: String) async throws {
        let encoded = Behaviour {
            $0.honoursIfRange = false
            $0.validators = .etag(tag)
            $0.extraFields = ["Content-Encoding: gzip"]
        }
        try await withBench(Self.content, script: [.dropping(after: 100_000), encoded, .good]) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts == [reason])
            #expect(checkpointSink.assignment?.download.source.contentEncoding == nil)
        }
    }

    @Test func aFileThatChangesAtEachRequestIsGivenUp() async throws {
        let changing = Behaviour {
            $0.subject = .newVersionEachTime
            $0.ending = .cut(after: 100_000, by: .fin)
        }
        try await withBench(Content(size: 300_000), script: [changing]) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink, atMost: 20)

            #expect(outcomes.last?.errorCode == .originUnstable)
            #expect(outcomes.last?.failure?.failureClass == .permanent)
            #expect(checkpointSink.restarts.count == 3)
            #expect(bench.origin.requests.count == 5)
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aSecondVersionOfTheSameTagAndSizeIsFoundByTheDigest() async throws {
        let script = [
            Behaviour.dropping(after: 100_000),
            Behaviour {
                $0.subject = .version(1)
                $0.honoursIfRange = false
                $0.validators = .etag(Content(size: 300_000).etag)
            },
        ]
        try await withBench(Content(size: 300_000), script: script) { bench in
            let assignment = try bench.assignment { $0.expected.digests = [bench.content.sha256] }

            let outcomes = await bench.attempts(assignment, atMost: 2)

            #expect(outcomes.last?.errorCode == .checksumMismatch)
            #expect(bench.files.isEmpty)
        }
    }
}
