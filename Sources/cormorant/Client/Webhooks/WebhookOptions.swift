import ArgumentParser
import Client

/// The webhook that a command is about.
struct WebhookArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The id of a webhook.", valueName: "id"),
        completion: .custom(ShellCompletions.webhooks)
    )
    var id: String
}

/// The options that choose events: of `events`, `webhook add` and `webhook listen`.
struct EventFilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Types such as download.*, separated by commas; repeatable.", valueName: "types"))
    var types: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Only events of this session.", valueName: "name"),
        completion: .custom(ShellCompletions.sessions)
    )
    var session: String?

    func apply(to new: inout NewWebhook) {
        let types = types.flatMap { $0.split(separator: ",").map { String($0) } }
        new.types = types.isEmpty ? nil : types
        new.sessionFilter = session
    }
}
