import Application
import ArgumentParser
import Linux

/// The command line.
@main
struct Cormorant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cormorant",
        abstract: "A download service: create a download from a URL; it is fetched, verified and reported.",
        version: VersionText.short,
        subcommands: [ServeCommand.self, GetCommand.self, HealthcheckCommand.self, VersionCommand.self]
    )

    /// Without a subcommand, prints the help and exits with a usage error.
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

/// Environment variables that libraries would use against the service's intent (docs/decisions/0026).
enum LibraryVariables {
    /// libcurl, and OpenSSL from 3.5 on, append the keys of every TLS connection to the file `SSLKEYLOGFILE`. With
    /// them, a recorded connection can be decrypted. `QLOGDIR` makes libcurl record HTTP/3. `CURL_SSL_BACKEND` selects
    /// another TLS library, if libcurl has several, than the one whose functions validate connections.
    private static let unwanted = ["SSLKEYLOGFILE", "QLOGDIR", "CURL_SSL_BACKEND"]

    /// Removes the variables. Call it before libcurl is used and before threads exist.
    static func remove() { ProcessEnvironment.remove(unwanted) }
}

/// `cormorant version`
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the versions of the program and its libraries."
    )

    func run() throws {
        try StandardStream.output.put(try VersionText.long() + "\n")
    }
}

extension StandardStream {
    /// Writes the output of a command. The command fails if the output cannot be written.
    func put(_ text: String) throws(CommandFailure) {
        guard write(text) else { throw CommandFailure(.inputOutput, "cannot write to standard output") }
    }
}
