import Application
import ArgumentParser
import Client
import Core
import HTTPFields
import Linux

/// The options that describe the downloads of `add` and `import`.
struct NewDownloadOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The session; created if missing.", valueName: "name"),
        completion: .custom(ShellCompletions.sessions)
    )
    var session: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The folder below the downloads folder; created if missing.", valueName: "folder")
    )
    var directory: String?

    @OptionGroup var login: LoginOptions

    @Option(help: ArgumentHelp("If the name is taken: rename, overwrite or fail.", valueName: "policy"))
    var onConflict: String?

    @Option(help: ArgumentHelp("From -100 to 100; higher first.", valueName: "number"))
    var priority: Int?

    @Option(help: ArgumentHelp("The limit of its speed, such as 2MiB a second.", valueName: "rate"))
    var rate: Rate?

    @Option(help: ArgumentHelp("How many connections at once.", valueName: "number"))
    var connections: Int?

    @Option(help: ArgumentHelp("Not before this time, or a duration from now.", valueName: "time"))
    var at: FutureTime?

    @Option(help: ArgumentHelp("It fails if it has not ended by then.", valueName: "time"))
    var deadline: FutureTime?

    @Option(help: ArgumentHelp("A label; repeatable.", valueName: "name:value"))
    var label: [LabelArgument] = []

    @Option(help: ArgumentHelp("A text for people.", valueName: "text"))
    var description: String?

    @Flag(help: "Create it paused.")
    var paused = false

    /// The members that all downloads share. The URL is blank.
    ///
    /// - Parameter readFile: Returns the lines of a file of header fields.
    func template(readFile: (String) throws -> [String] = GetPlan.readHeaderFile) throws -> Client.Download.Request {
        var new = Client.Download.Request(url: "")
        new.session = session
        new.directory = directory
        try login.apply(to: &new, readFile: readFile)
        new.onConflict = onConflict
        new.priority = priority
        if rate != nil || connections != nil {
            new.limits = Client.Download.Limits(rateBytesPerSecond: rate?.bytesPerSecond, connections: connections)
        }
        new.notBeforeAt = at?.date
        new.deadlineAt = deadline?.date
        if !label.isEmpty {
            new.labels = Dictionary(label.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        }
        new.description = description
        new.start = paused ? false : nil
        return new
    }
}

/// `name:value`. The name ends at the first colon.
struct LabelArgument: ExpressibleByArgument, Hashable {
    let name: String
    let value: String

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        name = String(parts[0])
        value = String(parts[1])
    }
}

/// Bytes per second: a size such as `2MiB`.
struct Rate: ExpressibleByArgument, Hashable {
    let bytesPerSecond: Int64

    init?(argument: String) {
        let size = argument.hasSuffix("/s") ? String(argument.dropLast(2)) : argument
        guard let bytes = ByteSize.parse(size), bytes > 0 else { return nil }
        bytesPerSecond = bytes
    }
}
