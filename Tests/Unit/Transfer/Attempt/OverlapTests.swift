import Core
import HTTPFields
import Linux
import TestSupport
import Testing
import TransferSupport

@testable import Transfer

/// Where no strong validator proves that a file is the same, and a digest of the whole will judge it, a download goes
/// on once the bytes before the place have come a second time and are equal.
struct OverlapTests {
    private static let content = Content(size: 300_000)

    private static func origin(_ validators: Behaviour.Validators, cutAfter end: Int64? = nil) -> Behaviour {
        Behaviour {
            $0.validators = validators
            // A date so young is weak.
            if validators == .weak {
                $0.validators = .absent
                $0.extraFields = ["ETag: W/\"1\"", "Last-Modified: \(Origin.date)"]
            }
            if let end { $0.ending = .cut(after: end, by: .fin) }
        }
    }

    private static func expecting(_ digest: Bool) -> (inout DownloadRequest) -> Void {
        { if digest { $0.expected.digests = [content.sha256] } }
    }

    @Test(arguments: [Behaviour.Validators.weak, .absent])
    func aFileWithADigestGoesOnAfterAComparison(validators: Behaviour.Validators) async throws {
        let script = [Self.origin(validators, cutAfter: 100_000), Self.origin(validators)]
        try await withBench(Self.content, script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment("/f", Self.expecting(true)), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts.isEmpty)
            #expect(bench.origin.requests.map { $0.value(of: "range") } == [nil, "bytes=34464-299999"])
            #expect(bench.origin.requests.last?.value(of: "if-range") == nil)
        }
    }

    @Test func aDigestOfTheOriginCountsAsWell() async throws {
        let field = "Repr-Digest: sha-256=:\(Self.content.sha256.base64):"
        var first = Self.origin(.absent, cutAfter: 100_000)
        first.extraFields = [field]
        var second = Self.origin(.absent)
        second.extraFields = [field]
        try await withBench(Self.content, script: [first, second]) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment("/f"), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test(arguments: [Behaviour.Validators.weak, .absent])
    func withoutADigestEqualBytesProveNothing(validators: Behaviour.Validators) async throws {
        let script = [Self.origin(validators, cutAfter: 100_000), Self.origin(validators)]
        try await withBench(Self.content, script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment("/f"), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts == ["not_resumable"])
            #expect(bench.origin.requests.map { $0.value(of: "range") } == [nil, nil])
        }
    }

    @Test func otherBytesBeginTheFileAnew() async throws {
        var changed = Self.origin(.absent)
        changed.subject = .version(1)
        let now = Self.content.at(version: 1)
        let request = { (request: inout DownloadRequest) in request.expected.digests = [now.sha256] }
        try await withBench(Self.content, script: [Self.origin(.absent, cutAfter: 100_000), changed]) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment("/f", request), checkpointSink)

            #expect(bench.holds(outcomes.last?.file, now))
            #expect(checkpointSink.restarts == ["overlap_differs"])
            #expect(bench.origin.requests.map { $0.value(of: "range") } == [nil, "bytes=34464-299999", nil])
            #expect(bench.parts.isEmpty)
        }
    }

    /// Fewer bytes than are compared otherwise are all compared.
    @Test func aFewBytesAreComparedFromTheStart() async throws {
        let script = [Self.origin(.absent, cutAfter: 1000), Self.origin(.absent)]
        try await withBench(Self.content, script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment("/f", Self.expecting(true)), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts.isEmpty)
            #expect(bench.origin.requests.map { $0.value(of: "range") } == [nil, "bytes=0-299999"])
        }
    }

    /// The bytes before the place are those of the new version, too: only the digest tells.
    @Test func aFileThatChangedElsewhereIsFoundByItsDigestAndComesWhole() async throws {
        let old = Content(size: Self.content.size)
        let new = Content(seed: 5, size: Self.content.size)
        try await withBench(new, script: [Self.origin(.absent), Self.origin(.absent)]) { bench in
            let request = { (request: inout DownloadRequest) in request.expected.digests = [new.sha256] }
            var assignment = try bench.assignment("/f", request)
            assignment.download.source = with(Download.Source()) {
                $0.status = 200
                $0.url = assignment.download.request.url
            }
            assignment.download.progress = .init(durableBytes: 100_000, totalBytes: new.size)
            assignment.segments = [Segment(index: 0, start: 0, end: new.size, durableEnd: 100_000)]
            try bench.write(old.bytes(in: 0..<1000) + new.bytes(in: 1000..<100_000), to: assignment.part)
            let checkpointSink = MemoryCheckpointSink()

            let first = await bench.attempt(assignment, checkpointSink)

            #expect(first.errorCode == .checksumMismatch)
            #expect(bench.files.isEmpty)
            #expect(bench.origin.requests.map { $0.value(of: "range") } == ["bytes=34464-299999"])
        }
    }

    @Test func aBodyThatBreaksOffInTheComparisonCostsNothing() async throws {
        let script = [
            Self.origin(.absent, cutAfter: 100_000), Self.origin(.absent, cutAfter: 30_000), Self.origin(.absent),
        ]
        try await withBench(Self.content, script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment("/f", Self.expecting(true)), checkpointSink)

            #expect(outcomes.count == 3)
            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts.isEmpty)
        }
    }
}

extension HTTPFields.Digest {
    /// As `Repr-Digest` has it (RFC 9530, section 2).
    fileprivate var base64: String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let value = (0..<3).reduce(0) { $0 << 8 | Int($1 < group.count ? group[group.startIndex + $1] : 0) }
            for index in 0..<4 {
                text.append(index <= group.count ? alphabet[value >> (18 - 6 * index) & 63] : "=")
            }
        }
        return text
    }
}
