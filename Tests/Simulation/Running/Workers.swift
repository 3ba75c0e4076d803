import CWorld
import Dispatch
import Foundation
import Synchronization

/// Processes that run lives side by side.
///
/// One life in fifty is run twice, in another process: what does not repeat is a fault of the simulation.
final class Workers: Sendable {
    private struct State {
        var next: UInt64
        /// The lives that are to be run again.
        var again: [UInt64] = []
        var report = Report()
    }

    private let scene: SceneArgument
    private let end: UInt64
    private let until: Int64
    private let state: Mutex<State>

    /// How many lives a process runs.
    private static let livesEach: UInt64 = 50
    private static let repeatedOneIn: UInt64 = 50

    /// - Parameter until: On the true monotonic clock, in nanoseconds. No process begins after it.
    init(scene: SceneArgument, first: UInt64, lives: UInt64?, until: Int64) {
        self.scene = scene
        self.until = until
        end = lives.map { first + $0 } ?? .max
        state = Mutex(State(next: first))
    }

    func run(_ count: Int) -> Report {
        DispatchQueue.concurrentPerform(iterations: count) { _ in
            while let (seeds, again) = next() {
                let lines = output(seeds)
                let repeated = again.isEmpty ? "" : output(again)
                state.withLock { state in
                    add(lines, of: seeds, to: &state.report, isAgain: false)
                    add(repeated, of: again, to: &state.report, isAgain: true)
                    state.again += seeds.filter { $0.isMultiple(of: Self.repeatedOneIn) }
                }
            }
        }
        return state.withLock { $0.report }
    }

    /// The lives that a process runs next, and those that are run again; nil at the end.
    private func next() -> (seeds: [UInt64], again: [UInt64])? {
        state.withLock { state in
            guard state.next < end || !state.again.isEmpty, world_true_time() < until else { return nil }
            let last = min(end, state.next + Self.livesEach)
            defer { (state.next, state.again) = (last, []) }
            return (Array(state.next..<last), state.again)
        }
    }

    private func add(_ output: String, of seeds: [UInt64], to report: inout Report, isAgain: Bool) {
        let lines = output.split(separator: "\n")
        report.add(lines, isAgain: isAgain)
        let begun = lines.filter { $0.hasPrefix("begin ") }.compactMap { UInt64($0.dropFirst(6)) }
        guard let last = begun.last, last != seeds.last || !lines.contains(where: { $0.hasPrefix("hash \(last) ") })
        else { return }
        let text = lines.last { $0.contains("has not ended") }.map(String.init)
        report.addFault(text ?? "its process has ended in the middle", of: last)
    }

    /// What a process prints that runs these lives.
    private func output(_ seeds: [UInt64]) -> String {
        guard !seeds.isEmpty else { return "" }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments =
            ["worker", "--scene", scene.scene.rawValue, "--lie", "\(scene.lie)"] + seeds.map(String.init)
        process.standardOutput = pipe
        do { try process.run() } catch { return "" }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
