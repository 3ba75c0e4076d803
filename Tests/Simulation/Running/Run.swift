import ArgumentParser
import CWorld
import Foundation

/// Runs many lives in several processes.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs many lives.")

    @OptionGroup var scene: SceneArgument

    @Option(help: "The first seed.")
    var seed: UInt64 = 1

    @Option(help: "The number of lives; as many as there is time for if it is missing.")
    var lives: UInt64?

    @Option(help: "The time to run, in minutes.")
    var minutes = 2.0

    @Option(help: "The number of processes at a time.")
    var processes = ProcessInfo.processInfo.activeProcessorCount

    @Flag(help: "Prints how often each state was reached, and the first life that did.")
    var counts = false

    func run() throws {
        let began = world_true_time()
        let workers = Workers(
            scene: scene,
            first: seed,
            lives: lives,
            until: lives == nil ? began + Int64(minutes * 60e9) : .max
        )
        let report = workers.run(processes)
        let seconds = Double(world_true_time() - began) / 1e9
        let pace = Int(Double(report.lives) / seconds * 60)
        print(
            "simulation: \(scene.scene.rawValue): \(report.lives) lives from seed \(seed) on,",
            "\(pace) a minute, \(report.steps) steps, \(report.ends) ends of processes,",
            "\(report.faults.count) with faults"
        )
        if counts {
            for (state, reached) in report.tally.sorted(by: { $0.key < $1.key }) {
                print("\(reached.count)\t\(state)\t(life \(reached.first))")
            }
        }
        for (seed, faults) in report.faults.sorted(by: { $0.key < $1.key }).prefix(10) {
            for fault in faults.prefix(3) { print("seed \(seed): \(fault)") }
        }
        if report.faults.count > 10 { print("simulation: \(report.faults.count - 10) more lives have faults") }
        guard let seed = report.faults.keys.min() else { return }
        print("simulation: see it happen: scripts/simulate one --scene \(scene.scene.rawValue) --seed \(seed) --trace")
        throw ExitCode.failure
    }
}
