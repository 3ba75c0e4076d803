import Foundation
import Synchronization
import TestSupport
import Testing

/// Repeats lives with a fault at one of their calls on files: at some calls, or at each until a run passes untouched.
struct CallSweep {
    private static let workers = 4

    let lives: [Life]

    /// The calls of one life that are visited with one fault.
    private struct Course {
        let life: Life
        let fault: SweptFault
        var next: Int
        let stride: Int
        let end: Int
        var points = 0
        var faults: [String] = []
    }

    /// What the workers share.
    private final class Shared: Sendable {
        let courses: Mutex<[Course]>

        init(_ courses: [Course]) { self.courses = Mutex(courses) }

        func next() -> (course: Int, Life, SweptFault, number: Int)? {
            courses.withLock { courses in
                guard let index = courses.firstIndex(where: { $0.next <= $0.end }) else { return nil }
                defer { courses[index].next += courses[index].stride }
                return (index, courses[index].life, courses[index].fault, courses[index].next)
            }
        }

        func record(_ wasMet: Bool, _ faults: [String], of index: Int) {
            courses.withLock { courses in
                if wasMet { courses[index].points += 1 } else { courses[index].next = .max }
                courses[index].faults += faults
            }
        }
    }

    func run() async {
        let courses = lives.flatMap { life in SweptFault.chosen.map { Self.course($0, of: life) } }
        // Where all calls are visited, each life and fault has its own time.
        for group in Self.choice == "all" ? courses.map({ [$0] }) : [courses] {
            let began = ContinuousClock.now
            let shared = Shared(group)
            await withTaskGroup(of: Void.self) { tasks in
                for _ in 0..<Self.workers { tasks.addTask { await Self.visitAll(of: shared) } }
            }
            let seconds = (ContinuousClock.now - began).components.seconds
            shared.courses.withLock { Self.report($0, seconds) }
        }
    }

    private static var choice: String { ProcessInfo.processInfo.environment["CORMORANT_TEST_CALLS"] ?? "" }

    private static func report(_ courses: [Course], _ seconds: Int64) {
        for course in courses {
            let name = "\(course.life.name), \(course.fault.rawValue)"
            print("call sweep: \(name), \(course.points) calls in \(seconds) s, \(course.faults.count) faults")
            #expect(course.faults.isEmpty, Comment(rawValue: course.faults.joined(separator: "\n")))
            if Int(choice) == nil { #expect(course.points > 0, "\(name): no call was met") }
        }
    }

    private static func visitAll(of shared: Shared) async {
        while let (index, life, fault, number) = shared.next() {
            let run = FaultedRun(life, fault, at: number)
            do {
                try await run.run()
            } catch {
                run.faults.append("\(error)")
            }
            let said = run.faults.map { "\(fault.rawValue) at call \(number) of \(life.name): \($0)" }
            shared.record(run.hasMetCall, said, of: index)
        }
    }

    private static func course(_ fault: SweptFault, of life: Life) -> Course {
        if let number = Int(choice) { return Course(life: life, fault: fault, next: number, stride: 1, end: number) }
        if choice == "all" { return Course(life: life, fault: fault, next: 1, stride: 1, end: .max - 1) }
        // Each fault meets other calls.
        let offset = SweptFault.allCases.firstIndex(of: fault) ?? 0
        let first = 1 + life.sample.stride * offset / SweptFault.allCases.count
        return Course(life: life, fault: fault, next: first, stride: life.sample.stride, end: life.sample.end)
    }
}
