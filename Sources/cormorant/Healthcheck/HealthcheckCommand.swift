import ArgumentParser

/// `cormorant healthcheck`: for containers, which bring no other client.
struct HealthcheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Ask the service whether it lives: 0 when it does, else 69.",
        usage: "cormorant healthcheck [--server <url>] [--config <file>] [--listen <address>]",
        discussion: """
            Without --server it asks the address that the settings let the service listen on, which are read as by \
            cormorant serve.
            """
    )

    @OptionGroup var arguments: SettingsArguments

    @Option(help: ArgumentHelp("The service, such as http://127.0.0.1:8080.", valueName: "url"))
    var server: String?

    func run() async throws {
        let probe = try Healthcheck(server: server ?? "http://\(arguments.load().settings.listen.reachable)")
        if let reason = await probe.failure() { throw CommandFailure(.unavailable, reason) }
    }
}
