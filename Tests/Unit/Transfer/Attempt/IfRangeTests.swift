import Core
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// Origins that know one form of `If-Range` alone (RFC 9110, section 13.1.5).
struct IfRangeTests {
    private static let content = Content(size: 300_000)

    private static func knowing(_ forms: Set<Behaviour.IfRangeForm>, cutAfter end: Int64? = nil) -> Behaviour {
        Behaviour {
            $0.knownIfRange = forms
            if let end { $0.ending = .cut(after: end, by: .fin) }
        }
    }

    private static func conditions(_ bench: Bench) -> [String?] {
        bench.origin.requests.map { $0.value(of: "if-range") }
    }

    @Test func anOriginThatKnowsDatesAloneGoesOnAtTheSameByte() async throws {
        let script = [Self.knowing([.date], cutAfter: 100_000), Self.knowing([.date])]
        try await withBench(Self.content, script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts.isEmpty)
            #expect(Self.conditions(bench) == [nil, Self.content.etag, Self.content.lastModified])
            #expect(bench.origin.requests.last?.value(of: "range") == "bytes=100000-299999")
        }
    }

    @Test func theFormOfIfRangeThatAHostAcceptsIsRemembered() async throws {
        let drop = Self.knowing([.date], cutAfter: 100_000)
        try await withBench(Self.content, script: [drop, Self.knowing([.date])]) { bench in
            bench.origin.serve("/b", Self.content, script: [drop, Self.knowing([.date])])
            _ = await bench.attempts(try bench.assignment("/a"))

            let outcomes = await bench.attempts(try bench.assignment("/b"))

            #expect(bench.holds(outcomes.last?.file))
            #expect(Self.conditions(bench).suffix(2) == [nil, Self.content.lastModified])
        }
    }

    @Test func aHostThatTurnsToTagsIsFollowed() async throws {
        let dates = [Self.knowing([.date], cutAfter: 100_000), Self.knowing([.date])]
        let tags = [Self.knowing([.tag], cutAfter: 100_000), Self.knowing([.tag])]
        try await withBench(Self.content, script: dates) { bench in
            bench.origin.serve("/b", Self.content, script: tags)
            _ = await bench.attempts(try bench.assignment("/a"))
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment("/b"), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts.isEmpty)
            #expect(Self.conditions(bench).suffix(3) == [nil, Self.content.lastModified, Self.content.etag])
        }
    }

    @Test func anOriginThatKnowsNeitherIsAskedOnceMoreAndNotAgain() async throws {
        let script = [Self.knowing([], cutAfter: 100_000), Self.knowing([])]
        try await withBench(Self.content, script: script) { bench in
            bench.origin.serve("/b", Self.content, script: script)
            let checkpointSink = MemoryCheckpointSink()
            let first = await bench.attempts(try bench.assignment("/a"), checkpointSink)
            let second = await bench.attempts(try bench.assignment("/b"))

            #expect(bench.holds(first.last?.file) && bench.holds(second.last?.file))
            #expect(checkpointSink.restarts == ["range_ignored"])
            let (tag, date) = (Self.content.etag, Self.content.lastModified)
            #expect(Self.conditions(bench) == [nil, tag, date, nil, tag])
        }
    }

    /// The range that answers a date is held to every validator that it carries.
    @Test(arguments: ["\"other\"", "W/\"1-0\""])
    func aPartUnderADateIsHeldToItsTag(tag: String) async throws {
        let lie = Behaviour {
            $0.honoursIfRange = false
            $0.subject = .version(1)
            $0.validators = .absent
            $0.extraFields = ["ETag: \(tag)", "Last-Modified: \(Self.content.lastModified)"]
        }
        let script = [Self.knowing([.date], cutAfter: 100_000), Self.knowing([.date]), lie, .version(1)]
        try await withBench(Self.content, script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcomes.last?.file, Self.content.at(version: 1)))
            #expect(checkpointSink.restarts == ["etag_changed"])
        }
    }

    /// It would cost more than what is at hand is worth.
    @Test func aFewBytesAreNotWorthAnotherRequest() async throws {
        let script = [Self.knowing([.date], cutAfter: 1000), Self.knowing([.date])]
        try await withBench(Self.content, script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(bench.holds(outcomes.last?.file))
            #expect(bench.origin.requests.count == 2)
        }
    }

    @Test func furtherConnectionsUseTheFormThatTheHostKnows() async throws {
        let content = Content(size: 4_000_000)
        let script = [Self.knowing([.date])]
        try await withBench(content, script: script, settings: .sharing(4), runsByItself: true) { bench in
            let release = Signal()
            bench.origin.serve(
                "/a",
                content,
                script: [Behaviour { $0.pace = .stall(after: 500_000, until: release) }, Self.knowing([.date])]
            )
            let checkpointSink = MemoryCheckpointSink()
            let attempt = Task { await bench.attempt(try bench.assignment("/a"), checkpointSink) }
            await bench.origin.requests(atLeast: 3)
            release.fire()
            let outcome = try await attempt.value

            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.refusedHosts.isEmpty)
            #expect(Self.conditions(bench).contains(content.lastModified))
        }
    }
}

/// What a 416 (RFC 9110, section 15.5.17) says about a download that wanted to go on.
struct UnsatisfiedTests {
    private static let size: Int64 = 300_000

    private func attempts(
        _ response: Behaviour,
        _ checkpointSink: MemoryCheckpointSink
    ) async throws -> (isRight: Bool, requests: Int) {
        var result = (isRight: false, requests: 0)
        let content = Content(size: Self.size)
        try await withBench(content, script: [.dropping(after: 100_000), response, .good]) { bench in
            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)
            result = (bench.holds(outcomes.last?.file), bench.origin.requests.count)
        }
        return result
    }

    @Test(arguments: ["bytes */200000", "bytes */50000", "bytes */400000"])
    func anotherTotalMeansAnotherFile(label: String) async throws {
        let checkpointSink = MemoryCheckpointSink()

        let (isRight, requests) = try await attempts(.ranges(.unsatisfiable(label)), checkpointSink)

        #expect(isRight)
        #expect(checkpointSink.restarts == ["total_changed"])
        #expect(requests == 3)
    }

    @Test(arguments: [nil, "bytes */300000", "bytes */*", "garbage"])
    func aRefusalThatSaysNothingIsFollowedByOnePlainRequest(label: String?) async throws {
        let checkpointSink = MemoryCheckpointSink()

        let (isRight, requests) = try await attempts(.ranges(.unsatisfiable(label)), checkpointSink)

        #expect(isRight)
        #expect(requests == 3)
    }

    @Test func theRefusalAfterTheLastByteCompletesAFileWhoseTotalWasKnown() async throws {
        try await withBench(Content(size: Self.size)) { bench in
            let checkpointSink = MemoryCheckpointSink()
            var assignment = try await bench.resumable(at: Self.size, total: Self.size)
            assignment.download.source.suggestedName = "x.bin"

            let outcome = await bench.attempt(assignment, checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.isEmpty)
            #expect(outcome.file?.digests == [bench.content.sha256])
        }
    }

    @Test func theRefusalAfterTheLastByteOfUnknownTotalProvesNothingByItself() async throws {
        try await withBench(Content(size: Self.size)) { bench in
            let outcome = await bench.attempt(try await bench.resumable(at: Self.size, total: nil))

            #expect(bench.holds(outcome.file))
            #expect(bench.origin.requests.first?.value(of: "range") == "bytes=300000-")
        }
    }

    @Test func aRefusalOfThePlainRequestFailsTheAttempt() async throws {
        try await withBench(script: [.page(416)]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .badResponse)
            #expect(bench.files.isEmpty)
        }
    }
}
