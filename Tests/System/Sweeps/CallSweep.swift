import Foundation
import Synchronization
import TestSupport
import Testing

/// Repeats a life with a fault at each of its calls on files, until a run passes untouched.
struct CallSweep {
    private static let workers = 4

    let life: Life
    let fault: SweptFault

    private struct Progress {
        var next: Int
        var points = 0
        var isAtEnd = false
        var faults: [String] = []
    }

    /// What the workers share.
    private final class Shared: Sendable {
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

    func run() async throws {
        let chosen = ProcessInfo.processInfo.environment["CORMORANT_TEST_CALLS"] ?? ""
        let stride = chosen == "all" ? 1 : life.stride
        let single = Int(chosen)
        // Each fault meets other calls.
        let offset = SweptFault.allCases.firstIndex(of: fault) ?? 0
        let shared = Shared(from: single ?? 1 + stride * offset / SweptFault.allCases.count)
        let began = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<(single == nil ? Self.workers : 1) {
                group.addTask {
                    while let number = shared.next(stride) {
                        let (wasMet, faults) = await visit(number)
                        let said = faults.map { "\(fault.rawValue) at call \(number) of \(life.name): \($0)" }
                        shared.record(wasMet, said, isLast: single != nil)
                    }
                }
            }
            try await group.waitForAll()
        }
        let end = shared.progress.withLock { $0 }
        let seconds = (ContinuousClock.now - began).components.seconds
        let figures = "\(end.points) calls in \(seconds) s, \(end.faults.count) faults"
        print("call sweep: \(life.name), \(fault.rawValue), \(figures)")
        #expect(end.faults.isEmpty, Comment(rawValue: end.faults.joined(separator: "\n")))
        if single == nil { #expect(end.points > 0, "no call was met") }
    }

    private func visit(_ number: Int) async -> (wasMet: Bool, faults: [String]) {
        let run = FaultedRun(life, fault, at: number)
        do {
            try await run.run()
        } catch {
            return (true, run.faults + ["\(error)"])
        }
        return (run.hasMetCall, run.faults)
    }
}
