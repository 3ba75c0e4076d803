import Application
import ArgumentParser
import Core
import Linux

/// The command line.
@main
struct Cormorant: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cormorant",
        abstract: "A download service: create a download from a URL; it is fetched, verified and reported.",
        version: VersionText.short,
        subcommands: [
            ServeCommand.self, GetCommand.self, BackupCommand.self, CheckCommand.self, HealthcheckCommand.self,
            ConfigCommand.self, CompletionCommand.self, LicensesCommand.self, VersionCommand.self,
        ],
        groupedSubcommands: [
            CommandGroup(
                name: "Downloads of a service",
                subcommands: [
                    AddCommand.self, ImportCommand.self, ListCommand.self, ShowCommand.self, WhyCommand.self,
                    WatchCommand.self, TopCommand.self,
                    WaitCommand.self, PauseCommand.self, ResumeCommand.self, CancelCommand.self, RetryCommand.self,
                    RemoveCommand.self, PruneCommand.self, SetCommand.self, CatCommand.self, SaveCommand.self,
                ]
            ),
            CommandGroup(
                name: "The service",
                subcommands: [
                    LimitCommand.self, SessionsCommand.self, HostsCommand.self, StatsCommand.self, EventsCommand.self,
                    WebhookCommand.self,
                ]
            ),
        ]
    )

    /// Without a subcommand, prints the help and exits with a usage error.
    func run() async throws {
        StandardStream.error.write(Self.helpMessage(columns: StandardStream.error.columns) + "\n")
        throw ExitStatus.usage.code
    }

    static func main() async {
        LibraryVariables.remove()
        do {
            try checkCommand(CommandLine.arguments.dropFirst())
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            let lines = failure.text.split(separator: "\n").flatMap { line in
                String(line).printable.wrapped(to: StandardStream.error.columns, indent: 2)
            }
            StandardStream.error.tell(lines.map { $0 + "\n" }.joined())
            exit(withError: failure.status.code)
        } catch {
            let code = exitCode(for: error)
            // Help and versions go to standard output.
            let stream: StandardStream = code.isSuccess ? .output : .error
            // A usage error quotes the command line, on which the shell may have put names of files.
            let text = UsageText.wrapped(fullMessage(for: error), to: stream.columns ?? 80)
            if !text.isEmpty { stream.tell(text + "\n") }
            exit(withError: code)
        }
    }
}

extension Cormorant {
    /// Names the nearest command instead of a misspelled one, such as `wach` or `webhook lits`.
    static func checkCommand(_ words: some Sequence<String>) throws {
        var path = [commandName]
        var commands = configuration.subcommands
        for word in words {
            guard !commands.isEmpty, !word.hasPrefix("-") else { return }
            if let command = commands.first(where: { $0.commandName == word }) {
                path.append(word)
                commands = command.configuration.subcommands
                continue
            }
            // `help` takes the names of commands, and knows the nearest of none.
            guard path.count > 1 || word != "help" else { return }
            // A key path to a member of a metatype crashes the compiler (Swift 6.3).
            let names = commands.map { $0.commandName }
            let hint = Spelling.nearest(to: word, in: names).map { "Did you mean '\($0)'?" }
            let all = "'\(path.joined(separator: " ")) --help' lists the commands."
            let name = (path.dropFirst() + [word.printable]).joined(separator: " ")
            throw CommandFailure(.usage, "There is no command '\(name)'. \(hint ?? all)")
        }
    }
}

extension ParsableCommand {
    /// The name as the user writes it.
    fileprivate static var commandName: String { configuration.commandName ?? "" }
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
