import Application
import ArgumentParser
import Client
import Linux

/// `cormorant set`
struct SetCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change downloads, failed ones too: name, folder, priority, labels, and how they are fetched.",
        discussion: """
            The word none clears a value; the priority is 0 by default. The name and the folder of a completed \
            download move its file. cormorant retry takes the options of the request too.
            """
    )

    @Argument(
        help: ArgumentHelp("Ids, unique starts of ids, or names.", valueName: "id"),
        completion: .custom(ShellCompletions.downloads)
    )
    var downloads: [String]

    @Option(help: ArgumentHelp("From -100 to 100; higher first.", valueName: "number"))
    var priority: Int?

    @Option(help: ArgumentHelp("The name of the file.", valueName: "name"))
    var name: Clearable<String>?

    @Option(
        name: [.customShort("d"), .customLong("dir"), .customLong("directory")],
        help: ArgumentHelp("The folder below the downloads folder.", valueName: "folder")
    )
    var directory: Clearable<String>?

    @Option(help: ArgumentHelp("The root of the file, until the first attempt.", valueName: "name"))
    var root: Clearable<String>?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The session.", valueName: "name"),
        completion: .custom(ShellCompletions.sessions)
    )
    var session: Clearable<String>?

    @Option(help: ArgumentHelp("Set a label; repeatable.", valueName: "name:value"))
    var label: [LabelArgument] = []

    @Option(help: ArgumentHelp("Remove a label; repeatable.", valueName: "name"))
    var removeLabel: [String] = []

    @Option(help: ArgumentHelp("A text for people.", valueName: "text"))
    var description: Clearable<String>?

    @Option(help: ArgumentHelp("JSON of your own, an object.", valueName: "json"))
    var metadata: Clearable<JSONArgument>?

    @Option(help: ArgumentHelp("Not before this time, or a duration from now.", valueName: "time"))
    var at: Clearable<FutureTime>?

    @Option(help: ArgumentHelp("When the finished file is removed.", valueName: "time"))
    var expires: Clearable<FutureTime>?

    @Option(help: ArgumentHelp("How long the finished file is kept, or forever.", valueName: "duration"))
    var keepFile: Clearable<RetentionArgument>?

    @Option(
        help: ArgumentHelp("A webhook that receives its events; repeatable; replaces those before.", valueName: "id"),
        completion: .custom(ShellCompletions.webhooks)
    )
    var webhook: [String] = []

    @OptionGroup(title: "The request") var request: RequestChanges
    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: FileNameOutputOptions

    func validate() throws {
        let isRead = [request.login.login, request.login.bearer].contains { $0?.hasPrefix("@") == true }
        guard try isRead || patch(readFile: { _ in [] }) != Download.Patch() else {
            throw ValidationError("Expected something to change, such as --priority 10.")
        }
    }

    private func patch(readFile: (String) throws -> [String]) throws -> Download.Patch {
        var patch = Download.Patch()
        try request.apply(to: &patch, readFile: readFile)
        patch.priority = priority
        patch.filename = name?.change
        patch.directory = directory?.change
        patch.root = root?.change
        patch.session = session?.change
        patch.description = description?.change
        patch.metadata = metadata?.change { $0.value }
        patch.notBeforeAt = at?.change { $0.date }
        patch.expiresAt = expires?.change { $0.date }
        patch.keepFileSeconds = keepFile?.change { $0.retention }
        patch.webhookIDs = webhook.isEmpty ? nil : webhook == ["none"] ? .clear : .set(webhook)
        let labels =
            label.map { ($0.name, Change.set($0.value)) } + removeLabel.map { ($0, Change<String>.clear) }
        if !labels.isEmpty { patch.labels = Dictionary(labels, uniquingKeysWith: { $1 }) }
        return patch
    }

    func run(_ client: CormorantClient) async throws {
        let patch = try patch(readFile: GetPlan.readHeaderFile)
        var status: ExitStatus?
        var results = ResultPrinter(output.output, isSeveral: downloads.count > 1)
        for id in try await DownloadNames(client: client).ids(downloads) {
            do {
                let (changed, raw) = try await client.rawChangeDownload(id, patch)
                try results.add(raw, name: changed.id) { _ in ["changed  \(id)  \(changed.name ?? "")".printable] }
            } catch ClientError.problem(let problem) where problem.status != 401 {
                status = status ?? ExitStatus(problem)
                StandardStream.error.tell("cormorant: \(id): \(problem.reasons.joined(separator: " ").printable)\n")
            }
        }
        try results.end()
        if let status { throw status.code }
    }
}

/// A value, or `none`.
enum Clearable<Value: ExpressibleByArgument & Hashable & Sendable>: ExpressibleByArgument {
    case value(Value)
    case none

    init?(argument: String) {
        if argument == "none" {
            self = .none
        } else if let value = Value(argument: argument) {
            self = .value(value)
        } else {
            return nil
        }
    }

    func change<Sent: PatchValue>(_ sent: (Value) -> Sent) -> Change<Sent> {
        switch self {
        case .value(let value): .set(sent(value))
        case .none: .clear
        }
    }
}

extension Clearable where Value: PatchValue {
    var change: Change<Value> { change { $0 } }
}
