import ArgumentParser
import CWorld

/// Runs lives of the service in worlds of their own, and reports what must not be.
@main
struct Simulation: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulation",
        abstract: "Runs lives of the service in one thread and in virtual time.",
        discussion: """
            Each life follows from its seed. A fault is made as small as possible, and printed with what happened.
            """,
        subcommands: [Run.self, One.self, Found.self, Worker.self],
        defaultSubcommand: Run.self
    )

    nonisolated static func main() {
        world_fix_hashing(CommandLine.unsafeArgv)
        Self.main(nil)
    }
}
