import Core
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// A login page in front of the network: it is not the file, and it costs no byte of it.
struct PortalTests {
    private static let content = Content(size: 300_000)

    private func resume(
        _ portal: [Behaviour],
        _ body: (Bench, MemoryCheckpointSink, [AttemptOutcome]) throws -> Void
    ) async throws {
        try await withBench(Self.content, script: [.dropping(after: 100_000)] + portal + [.good]) { bench in
            let checkpointSink = MemoryCheckpointSink()
            let outcomes = await bench.attempts(try bench.assignment(), checkpointSink)
            try body(bench, checkpointSink, outcomes)
        }
    }

    @Test func aPageInPlaceOfTheFileKeepsTheBytes() async throws {
        try await resume([.page(200), .page(200)]) { bench, checkpointSink, outcomes in
            #expect(outcomes.count == 4)
            #expect(outcomes[1].isSuspect && outcomes[2].isSuspect)
            #expect(outcomes[1].failure?.failureClass == .transient(.middlebox))
            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts.isEmpty)
            #expect(bench.origin.requests.last?.value(of: "range") == "bytes=100000-299999")
        }
    }

    @Test func aRedirectToAnotherHostsPageKeepsTheBytes() async throws {
        let portal = Origin(Content(size: 10), script: [.page(200)])
        defer { portal.stop() }
        let target = "http://localhost:\(portal.port)/login"

        try await resume([.redirect(to: target)]) { bench, checkpointSink, outcomes in
            #expect(outcomes[1].isSuspect)
            #expect(outcomes[1].failure?.failureClass == .transient(.middlebox))
            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test func aPartOfAnotherFileOnAnotherHostKeepsTheBytes() async throws {
        let other = Origin(Content(seed: 9, size: 300_000), script: [Behaviour { $0.honoursIfRange = false }])
        defer { other.stop() }

        try await resume([.redirect(to: "http://localhost:\(other.port)/x")]) { bench, checkpointSink, outcomes in
            #expect(outcomes[1].isSuspect)
            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test func aMirrorWithTheSameValidatorsGoesOn() async throws {
        let mirror = Origin(Self.content)
        defer { mirror.stop() }

        try await resume([.redirect(to: "http://localhost:\(mirror.port)/x")]) { bench, checkpointSink, outcomes in
            #expect(outcomes.count == 2)
            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts.isEmpty)
            #expect(mirror.requests.first?.value(of: "range") == "bytes=100000-299999")
        }
    }

    @Test func theHostThatTheBytesCameFromIsNoStranger() async throws {
        let mirror = Origin(Self.content, script: [.dropping(after: 100_000), .version(1)])
        defer { mirror.stop() }
        let script = [Behaviour.redirect(to: "http://localhost:\(mirror.port)/x")]
        try await withBench(Self.content, script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            #expect(outcomes.map(\.isSuspect) == [false, false])
            #expect(bench.holds(outcomes.last?.file, Self.content.at(version: 1)))
        }
    }

    /// The bytes are gone by then, and what the file was is known all the same.
    @Test func aPageAfterAFileThatChangedIsMistrusted() async throws {
        let changed = Behaviour {
            $0.honoursIfRange = false
            $0.subject = .version(1)
        }
        let script = [.dropping(after: 100_000), changed, .page(200), .page(200), .version(1)]
        try await withBench(Self.content, script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment())

            let mistrusted = outcomes.dropFirst().dropLast()
            let requests = Comment(rawValue: "\(bench.origin.requests.map { $0.value(of: "range") ?? "all" })")
            #expect(!mistrusted.isEmpty && mistrusted.allSatisfy(\.isSuspect), requests)
            #expect(outcomes.first?.isSuspect == false && outcomes.last?.isSuspect == false)
            #expect(bench.holds(outcomes.last?.file, Self.content.at(version: 1)))
        }
    }

    @Test func theHostThatSentRetryAfterIsNamed() async throws {
        let mirror = Origin(Self.content, script: [.unavailable(retryAfter: "9")])
        defer { mirror.stop() }
        let script = [Behaviour.redirect(to: "http://localhost:\(mirror.port)/x"), .unavailable(retryAfter: "9")]
        try await withBench(Self.content, script: script) { bench in
            let redirected = await bench.attempt(try bench.assignment())
            let direct = await bench.attempt(try bench.assignment())

            #expect(redirected.failure?.authority == "localhost:\(mirror.port)")
            #expect(direct.failure?.authority == "127.0.0.1:\(bench.origin.port)")
        }
    }
}

/// Connections that break at any byte of small and large bodies.
struct DropTests {
    struct Drop: CustomTestStringConvertible, Sendable {
        let size: Int64
        let after: Int64
        let close: Behaviour.Close

        var testDescription: String { "\(close) after \(after) of \(size)" }
    }

    static let drops = drops(by: .fin) + drops(by: .reset)

    private static func drops(by close: Behaviour.Close) -> [Drop] {
        let sizes: [Int64] = [1, 16 << 10, 300_000, (1 << 20) + 1, 3 << 20]
        return sizes.flatMap { size -> [Drop] in
            let places: Set<Int64> = [0, 1, size / 2, size - 1]
            return places.filter { $0 < size }.map { Drop(size: size, after: $0, close: close) }
        }
    }

    @Test(arguments: drops)
    func aBrokenTransferGoesOnWhereItBroke(drop: Drop) async throws {
        let script: [Behaviour] = [.dropping(after: drop.after, by: drop.close), .good]
        try await withBench(Content(size: drop.size), script: script) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let broken = await bench.attempt(try bench.assignment(), checkpointSink)
            let durable = checkpointSink.checkpoints.last?.durableEnd ?? 0
            let whole = await bench.attempt(try #require(checkpointSink.assignment), checkpointSink)

            #expect(broken.errorCode == .connectFailed)
            #expect(broken.madeProgress == (durable > 0))
            #expect(drop.close == .fin ? durable == drop.after : durable <= drop.after)
            #expect(bench.holds(whole.file))
            #expect(whole.file?.digests == [bench.content.sha256])
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    @Test(arguments: [Int64(0), 1, 5])
    func aFileOfManyBreaksIsWholeInTheEnd(remainder: Int64) async throws {
        let step: Int64 = 30_000
        let script: [Behaviour] = [.dropping(after: step)]
        try await withBench(Content(size: 9 * step + remainder), script: script) { bench in
            let outcomes = await bench.attempts(try bench.assignment(), atMost: 12)

            #expect(bench.holds(outcomes.last?.file))
            #expect(outcomes.dropLast().allSatisfy { $0.madeProgress })
        }
    }
}
