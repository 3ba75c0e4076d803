import Application
import ArgumentParser
import Client
import Linux

/// `cormorant set`
struct SetCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change downloads: priority, speed, name, folder, labels, URL.",
        discussion: """
            The word none clears a value; the priority is 0 by default. The name and the folder of a completed \
            download move its file.
            """
    )

    @Argument(
        help: ArgumentHelp("Ids, unique starts of ids, or names.", valueName: "id"),
        completion: .custom(ShellCompletions.downloads)
    )
    var downloads: [String]

    @Option(help: ArgumentHelp("From -100 to 100; higher first.", valueName: "number"))
    var priority: Int?

    @Option(help: ArgumentHelp("The limit of its speed, such as 2MiB a second.", valueName: "rate"))
    var rate: Clearable<Rate>?

    @Option(help: ArgumentHelp("How many connections at once.", valueName: "number"))
    var connections: Clearable<Int>?

    @Option(name: [.customShort("o"), .long], help: ArgumentHelp("The name of the file.", valueName: "name"))
    var name: Clearable<String>?

    @Option(
        name: [.customShort("d"), .customLong("dir"), .customLong("directory")],
        help: ArgumentHelp("The folder below the downloads folder.", valueName: "folder")
    )
    var directory: Clearable<String>?

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

    @Option(help: ArgumentHelp("Another URL for the same file.", valueName: "url"))
    var url: String?

    @OptionGroup(title: "Service") var connection: ServerOptions

    func validate() throws {
        guard patch != DownloadPatch() else {
            throw ValidationError("Expected something to change, such as --priority 10.")
        }
    }

    var patch: DownloadPatch {
        var patch = DownloadPatch()
        patch.url = url
        patch.priority = priority
        patch.filename = name?.change
        patch.directory = directory?.change
        patch.session = session?.change
        patch.description = description?.change
        if rate != nil || connections != nil {
            var limits = DownloadPatch.Limits()
            limits.rateBytesPerSecond = rate?.change { $0.bytesPerSecond }
            limits.connections = connections?.change
            patch.limits = limits
        }
        let labels =
            label.map { ($0.name, Change.set($0.value)) } + removeLabel.map { ($0, Change<String>.clear) }
        if !labels.isEmpty { patch.labels = Dictionary(labels, uniquingKeysWith: { $1 }) }
        return patch
    }

    func run(_ client: CormorantClient) async throws {
        var status: ExitStatus?
        for id in try await DownloadNames(client: client).ids(downloads) {
            do {
                let changed = try await client.changeDownload(id, patch)
                try StandardStream.output.put("changed  \(id)  \((changed.name ?? "").printable)\n")
            } catch ClientError.problem(let problem) {
                status = status ?? ExitStatus(problem)
                StandardStream.error.tell("cormorant: \(id): \(problem.reasons.joined(separator: " ").printable)\n")
            }
        }
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
