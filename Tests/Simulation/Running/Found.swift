import ArgumentParser
import Foundation

/// Runs the lives that have shown a fault once.
struct Found: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs the lives that have shown a fault once.")

    @Argument(help: "The folder with their files.")
    var folder = "Tests/Simulation/Found"

    func run() throws {
        let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter {
            $0.hasSuffix(".life")
        }
        var faults: [String] = []
        for scene in SceneKind.allCases {
            var argument = SceneArgument()
            (argument.scene, argument.lie) = (scene, 0)
            try argument.run { makeLife in
                for name in files.sorted() {
                    let found = try FoundLife(path: "\(folder)/\(name)")
                    guard found.scene == scene else { continue }
                    let life = makeLife(found.seed, Choices(repeating: found.choices), false)
                    faults += life.faults.map { "\(name): \($0)" }
                }
            }
        }
        for fault in faults { print(fault) }
        print(
            "simulation: \(files.count) kept lives, \(faults.isEmpty ? "none with a fault" : "faults: \(faults.count)")"
        )
        if !faults.isEmpty { throw ExitCode.failure }
    }
}
