import ArgumentParser
import Linux

/// `cormorant version`
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the versions of the program and of the libraries under it."
    )

    func run() throws {
        StandardStream.output.write(try VersionText.long() + "\n")
    }
}
