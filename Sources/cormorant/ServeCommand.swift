import Application
import ArgumentParser
import Linux

/// `cormorant serve`
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the service.",
        usage: "cormorant serve [--<setting> <value> ...] [--config <file>] [--print-config | --check-config]",
        discussion: SettingsArguments.help
    )

    @OptionGroup var arguments: SettingsArguments

    @Flag(help: "Print each setting with its value and its source, and exit.")
    var printConfig = false

    @Flag(help: "Check the settings and exit: 0 if they are valid, else 78.")
    var checkConfig = false

    func run() async throws {
        let resolved = try arguments.load()
        if printConfig || checkConfig {
            for warning in resolved.warnings { StandardStream.error.tell("cormorant: warning: \(warning)\n") }
            if printConfig { try StandardStream.output.put(resolved.listing + "\n") }
            return
        }
        do {
            try await Application.serve(resolved)
        } catch {
            throw CommandFailure(starting: error)
        }
    }
}
