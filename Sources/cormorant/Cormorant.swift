import ArgumentParser
import Linux

/// The command line.
@main
struct Cormorant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cormorant",
        abstract: "A download service: give it a URL, and it brings the bytes back whole.",
        version: VersionText.short,
        subcommands: [ServeCommand.self, GetCommand.self, HealthcheckCommand.self, VersionCommand.self]
    )

    /// Without a subcommand there is nothing to do.
    func run() async throws {
        StandardStream.error.write(Self.helpMessage(columns: StandardStream.error.columns) + "\n")
        throw ExitStatus.usage.code
    }

    static func main() async {
        LibraryVariables.remove()
        do {
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            StandardStream.error.write(failure.text)
            exit(withError: failure.status.code)
        } catch {
            exit(withError: error)
        }
    }
}
