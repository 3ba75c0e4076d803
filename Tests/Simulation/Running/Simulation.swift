import ArgumentParser
import CWorld
import Glibc

/// Runs lives of the service in a world of their own, and reports what must not be.
@main
struct Simulation: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulation",
        abstract: "Runs lives of the service in one thread and in virtual time."
    )

    @Option(help: "The kind of lives: \(SceneKind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var scene = "store"

    @Option(help: "The first seed.")
    var seed: UInt64 = 1

    @Option(help: "The number of seeds.")
    var lives: UInt64 = 1

    @Flag(help: "Prints what happens.")
    var trace = false

    @Option(help: "Flushes of these kinds lie: folders 1, databases 2, files 4.")
    var lie: UInt32 = 0

    nonisolated static func main() {
        Executors.install()
        Self.main(nil)
    }

    func run() throws {
        guard let kind = SceneKind(rawValue: scene) else { throw ValidationError("there is no scene '\(scene)'") }
        let base = "/dev/shm/cormorant-simulation-\(getpid())"
        Disk.remove(base)
        mkdir(base, 0o700)
        defer { Disk.remove(base) }
        let template = "\(base)/template"
        mkdir(template, 0o700)
        world_seed(0)
        try kind.type.prepare(template)
        let began = world_true_time()
        var sum = (steps: 0, kills: 0, faulty: 0, hash: UInt64(0))
        for seed in seed..<seed + lives {
            let life = Life(
                kind,
                seed: seed,
                template: template,
                base: "\(base)/life",
                lies: Disk.Kinds(rawValue: lie),
                keepsTrace: trace
            )
            for line in life.lines { print(line) }
            for fault in life.faults.prefix(3) { print("seed \(seed): \(fault)") }
            sum.steps += life.steps
            sum.kills += life.kills
            sum.faulty += life.faults.isEmpty ? 0 : 1
            sum.hash = sum.hash &* 31 &+ life.hash
        }
        let seconds = Double(world_true_time() - began) / 1e9
        print(
            "\(lives) lives in \(seconds) s, \(Int(Double(lives) / seconds * 60)) a minute: \(sum.steps) steps,",
            "\(sum.kills) kills, \(sum.faulty) with faults, sum \(String(sum.hash, radix: 16)),",
            "\(world_threads_started()) threads"
        )
        if sum.faulty > 0 { throw ExitCode.failure }
    }
}
