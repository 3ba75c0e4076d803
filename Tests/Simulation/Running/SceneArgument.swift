import ArgumentParser
import CWorld
import Glibc

/// The kind of lives, as an argument.
struct SceneArgument: ParsableArguments {
    @Option(help: "The kind of lives: \(SceneKind.allCases.map(\.rawValue).joined(separator: ", ")).")
    var scene = SceneKind.downloads

    @Option(help: "Flushes that lie, as a control: 1 for those of folders, 2 of databases, 4 of files, or a sum.")
    var lie: UInt32 = 0

    /// Runs lives of this kind in this process.
    func run(_ body: (_ makeLife: @escaping (UInt64, Choices?, Bool) -> Life) throws -> Void) throws {
        Executors.install()
        // A file system in memory, where there is one. A container may have none.
        let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let base = "\(parent)/cormorant-simulation-\(getpid())"
        Disk.remove(base)
        mkdir(base, 0o700)
        defer { Disk.remove(base) }
        let template = "\(base)/template"
        mkdir(template, 0o700)
        world_seed(0)
        try scene.type.prepare(template)
        try body { seed, choices, keepsTrace in
            Life(
                scene,
                seed: seed,
                choices: choices,
                template: template,
                base: "\(base)/life",
                lies: Disk.Kinds(rawValue: lie),
                keepsTrace: keepsTrace
            )
        }
    }
}

extension SceneKind: ExpressibleByArgument {}
