import ArgumentParser
import Linux

/// `cormorant version`
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the versions of the program and of the libraries under it."
    )

    func run() throws {
        try StandardStream.output.put(try VersionText.long() + "\n")
    }
}
