import ArgumentParser

/// Runs one life, and shows what happens.
struct One: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs one life.")

    @OptionGroup var scene: SceneArgument

    @Option(help: "Its seed.")
    var seed: UInt64?

    @Option(help: "The file of a life that was kept or shrunk, in place of a seed.", completion: .file())
    var kept: String?

    @Option(help: "The seed of a life to run before it, if what came before makes a difference.")
    var after: UInt64?

    @Flag(help: "Prints what happens.")
    var trace = false

    @Flag(help: "Makes a life with a fault as small as possible, and prints it as a file for Found.")
    var shrink = false

    func validate() throws {
        guard (seed == nil) != (kept == nil) else { throw ValidationError("expected either --seed or --kept") }
    }

    func run() throws {
        let found = try kept.map(FoundLife.init(path:))
        var scene = scene
        if let found { scene.scene = found.scene }
        let seed = found?.seed ?? seed ?? 0
        try scene.run { makeLife in
            if let after { _ = makeLife(after, nil, false) }
            var life = makeLife(seed, found.map { Choices(repeating: $0.choices) }, trace && !shrink)
            if shrink, !life.faults.isEmpty {
                var shrinking = Shrinking(life.choices) { makeLife(seed, $0, false) }
                let choices = shrinking.smallest()
                life = makeLife(seed, Choices(repeating: choices), trace)
                print(FoundLife(scene: scene.scene, seed: seed, choices: choices, fault: life.faults.first ?? "").text)
            }
            for line in life.lines { print(line) }
            for fault in life.faults { print("seed \(seed): \(fault)") }
            print("simulation: \(life.steps) steps, \(life.ends) ends of processes, hash \(life.hash)")
            if !life.faults.isEmpty { throw ExitCode.failure }
        }
    }
}
