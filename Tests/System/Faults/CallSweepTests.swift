import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Each call on files of one short life, those of the database among them, is the one before which the program is
/// killed, or the one that fails: a download is created, fetched, published, told to a webhook, and deleted.
///
/// Every eleventh call in the ordinary run, all with `CORMORANT_TEST_CALLS=all`, and one by its number.
@Suite(
    .serialized,
    .timeLimit(.minutes(30)),
    .enabled(if: CallFaults.isAllowed, Comment(rawValue: CallFaults.reason))
)
struct CallSweepTests {
    @Test func aKillBeforeAnyFileCallLosesDamagesAndDoublesNothing() async throws {
        try await sweep("kill", code: nil)
    }

    @Test func aFileCallThatFailsLosesDamagesAndDoublesNothing() async throws {
        try await sweep("EIO", code: EIO)
    }

    @Test func aFileCallThatFindsTheDiskFullLosesDamagesAndDoublesNothing() async throws {
        try await sweep("ENOSPC", code: ENOSPC)
    }

    private static let workers = 4

    private struct Progress {
        var next: Int
        var points = 0
        var isAtEnd = false
        var faults: [String] = []
    }

    /// What the workers share.
    private final class Sweep: Sendable {
        let progress: Mutex<Progress>

        init(from first: Int) { progress = Mutex(Progress(next: first)) }

        func next(_ stride: Int) -> Int? {
            progress.withLock { progress in
                guard !progress.isAtEnd else { return nil }
                defer { progress.next += stride }
                return progress.next
            }
        }

        func record(_ wasMet: Bool, _ faults: [String], isLast: Bool) {
            progress.withLock { progress in
                if wasMet { progress.points += 1 }
                if !wasMet || isLast { progress.isAtEnd = true }
                progress.faults += faults
            }
        }
    }

    private func sweep(_ what: String, code: Int32?) async throws {
        let chosen = ProcessInfo.processInfo.environment["CORMORANT_TEST_CALLS"] ?? ""
        let stride = chosen == "all" ? 1 : 11
        let single = Int(chosen)
        let sweep = Sweep(from: single ?? 1)
        let began = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<(single == nil ? Self.workers : 1) {
                group.addTask {
                    while let number = sweep.next(stride) {
                        let (wasMet, faults) = try await Self.life(at: number, code)
                        let said = faults.map { "\(what) at call \(number): \($0)" }
                        sweep.record(wasMet, said, isLast: single != nil)
                    }
                }
            }
            try await group.waitForAll()
        }
        let end = sweep.progress.withLock { $0 }
        let seconds = (ContinuousClock.now - began).components.seconds
        print("call sweep: \(what), \(end.points) points in \(seconds) s, \(end.faults.count) faults")
        #expect(end.faults.isEmpty, Comment(rawValue: end.faults.joined(separator: "\n")))
        if single == nil { #expect(end.points * stride > 100, "too few calls were met") }
    }

    private static func life(at number: Int, _ code: Int32?) async throws -> (wasMet: Bool, faults: [String]) {
        let faults = CallFaults()
        let life = FaultedRun { try faults.environment(at: number, below: $0, code: code) }
        do {
            try await life.run()
        } catch {
            return (true, life.faults + ["\(error)"])
        }
        return (faults.hasMetCall, life.faults)
    }
}

/// Answers that would have the program touch memory that is not its own.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Valgrind.isAllowed, Comment(rawValue: Valgrind.reason)))
struct MemoryFaultTests {
    /// The first field of an answer begins with white space, and its request follows one that had a good answer.
    @Test func anAnswerWhoseFirstFieldIsFoldedTouchesNoFreedMemory() async throws {
        let folder = TemporaryFolder()
        let folded = Behaviour { $0.leadingFields = [" X: y"] }
        let origin = Origin(script: [folded])
        origin.serve("/a", Content(size: 10), script: [.redirect(to: "/file")])
        defer { origin.stop() }

        let result = try await Valgrind.result(
            of: ["get", "--directory", folder.path, "--retry-for", "1s", origin.url("/a")]
        )

        #expect(result.errors.contains("ERROR SUMMARY: 0 errors"), Comment(rawValue: result.errors))
        #expect(result.exitCode != Valgrind.faultCode)
        #expect(origin.requests.map(\.target).starts(with: ["/a", "/file"]))
    }
}
