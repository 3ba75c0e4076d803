import Application
import ArgumentParser
import Client
import Linux

/// `cormorant webhook`
struct WebhookCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook",
        abstract: "Manage webhooks and their deliveries, or receive events on this machine.",
        subcommands: [
            WebhookListCommand.self, WebhookAddCommand.self, WebhookRemoveCommand.self, WebhookEnableCommand.self,
            WebhookDisableCommand.self, WebhookTestCommand.self, WebhookDeliveriesCommand.self,
            WebhookRedeliverCommand.self, WebhookRotateCommand.self, WebhookListenCommand.self,
        ]
    )
}

/// `cormorant webhook ls`
struct WebhookListCommand: ServiceCommand {
    static let configuration = CommandConfiguration(commandName: "ls", abstract: "List webhooks, or show some.")

    @Argument(
        help: ArgumentHelp("The ids of webhooks; all if there are none.", valueName: "id"),
        completion: .custom(ShellCompletions.webhooks)
    )
    var ids: [String] = []

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func run(_ client: CormorantClient) async throws {
        let inventory = Inventory(client: client, printer: Printer(output.output), path: "/webhooks", names: ids)
        try await inventory.print(
            empty: "There are no webhooks. 'cormorant webhook add URL' makes one.",
            name: { (webhook: Client.Webhook) in webhook.id },
            fields: WebhookFields.all,
            table: WebhookFields.table
        )
    }
}

enum WebhookFields {
    static func all(_ webhook: Client.Webhook) -> [Field?] {
        let state = state(webhook)
        return [
            Field("id", webhook.id), Field("url", webhook.url, .bold), Field("state", state, .state(state)),
            Field("why", webhook.disabledReason), Field("description", webhook.description),
            Field("types", webhook.types?.joined(separator: ", ")), Field("session", webhook.sessionFilter),
            Field("made by", webhook.createdBy), Field("secret", webhook.secret),
            Field("fingerprint", webhook.secretFingerprint),
            Field("succeeded", webhook.stats?.succeeded.map { "\($0)" }),
            Field("failed", webhook.stats?.failed.map { "\($0)" }),
            Field("last success", Shown.instantAndAge(webhook.stats?.lastSuccessAt)),
            Field("last failure", Shown.instantAndAge(webhook.stats?.lastFailureAt)),
        ]
    }

    static func table(_ webhooks: [Client.Webhook]) -> Table {
        var table = Table([
            .init(title: "ID"), .init(title: "URL", isFlexible: true), .init(title: "STATE"),
            .init(title: "SUCCEEDED", isRight: true, rank: 2), .init(title: "FAILED", isRight: true, rank: 3),
            .init(title: "LAST SUCCESS", rank: 1), .init(title: "DESCRIPTION", isFlexible: true, rank: 0),
        ])
        table.rows = webhooks.map { webhook in
            [
                .init(webhook.id, .dim), .init(webhook.url), .init(state(webhook), .state(state(webhook))),
                .init(webhook.stats?.succeeded.map { "\($0)" }), .init(webhook.stats?.failed.map { "\($0)" }),
                .init(Shown.age(webhook.stats?.lastSuccessAt)), .init(webhook.description),
            ]
        }
        return table
    }

    private static func state(_ webhook: Client.Webhook) -> String {
        webhook.enabled == false ? "disabled" : "enabled"
    }
}

/// `cormorant webhook add`
struct WebhookAddCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Send events to a URL. The secret of the signatures is printed once."
    )

    @Argument(help: ArgumentHelp("The URL that receives events.", valueName: "url"))
    var url: String

    @OptionGroup var filter: EventFilterOptions

    @Option(help: ArgumentHelp("A text for people.", valueName: "text"))
    var description: String?

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A header field for the receiver, 'Name: value', or @file.", valueName: "field")
    )
    var header: [String] = []

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func run(_ client: CormorantClient) async throws {
        var new = NewWebhook(url: url)
        filter.apply(to: &new)
        new.description = description
        new.requestHeaders = try GetHeaders.byName(header, readFile: GetPlan.readHeaderFile)
        let (webhook, raw) = try await client.rawCreateWebhook(new)
        try Printer(output.output).item(raw, name: webhook.id) { _ in WebhookFields.all(webhook).compactMap(\.self) }
    }
}

/// `cormorant webhook rm`
struct WebhookRemoveCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Delete webhooks; their pending deliveries are dropped."
    )

    @Argument(
        help: ArgumentHelp("The ids of webhooks.", valueName: "id"),
        completion: .custom(ShellCompletions.webhooks)
    )
    var ids: [String]

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func run(_ client: CormorantClient) async throws {
        var results = ResultPrinter(output.output, isSeveral: ids.count > 1)
        for id in ids {
            let deleted: (Client.Webhook, [UInt8]) = try await client.raw(APIRequest.path("webhooks", id))
            try await client.deleteWebhook(id)
            try results.add(deleted.1, name: id) { _ in ["deleted  \(id)"] }
        }
        try results.end()
    }
}

/// `cormorant webhook enable`
struct WebhookEnableCommand: ServiceCommand {
    static let configuration = CommandConfiguration(commandName: "enable", abstract: "Enable a disabled webhook again.")

    @OptionGroup var webhook: WebhookArgument

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func run(_ client: CormorantClient) async throws {
        try await WebhookSwitch(client: client, output: output).set(webhook.id, enabled: true)
    }
}

/// `cormorant webhook disable`
struct WebhookDisableCommand: ServiceCommand {
    static let configuration = CommandConfiguration(commandName: "disable", abstract: "Send no events to a webhook.")

    @OptionGroup var webhook: WebhookArgument

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func run(_ client: CormorantClient) async throws {
        try await WebhookSwitch(client: client, output: output).set(webhook.id, enabled: false)
    }
}

/// Enables or disables a webhook, and prints it.
private struct WebhookSwitch {
    let client: CormorantClient
    let output: OutputOptions

    func set(_ id: String, enabled: Bool) async throws {
        let (webhook, raw) = try await client.rawChangeWebhook(id, enabled: enabled)
        var results = ResultPrinter(output.output, isSeveral: false)
        try results.add(raw, name: webhook.id) { _ in
            ["\(enabled ? "enabled" : "disabled")  \(webhook.id)  \(webhook.url)".printable]
        }
        try results.end()
    }
}

/// `cormorant webhook rotate`
struct WebhookRotateCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Make a new secret for a webhook, and print it once."
    )

    @OptionGroup var webhook: WebhookArgument

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func run(_ client: CormorantClient) async throws {
        let (rotated, raw) = try await client.rawRotateSecret(of: webhook.id)
        var results = ResultPrinter(output.output, isSeveral: false)
        try results.add(raw, name: webhook.id) { _ in [rotated.secret.printable] }
        try results.end()
        if let expires = rotated.previousSecretExpiresAt {
            StandardStream.error.tell("The previous secret signs too until \(InstantText.text(expires)).\n")
        }
    }
}
