import ArgumentParser
import Client

/// `cormorant pause`
struct PauseCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pause downloads; their bytes are kept.",
        discussion: """
            Filters and --all act on what there is now. To stop the service from starting any download, use cormorant \
            limit --pause.
            """
    )

    @OptionGroup var target: BulkTarget
    @OptionGroup(title: "Service") var connection: ServerOptions

    func run(_ client: CormorantClient) async throws {
        try await BulkRun(client: client, target: target, action: "pause", done: "paused").run()
    }
}

/// `cormorant resume`
struct ResumeCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Continue paused downloads, and try waiting ones now."
    )

    @OptionGroup var target: BulkTarget
    @OptionGroup(title: "Service") var connection: ServerOptions

    func run(_ client: CormorantClient) async throws {
        try await BulkRun(client: client, target: target, action: "resume", done: "resumed").run()
    }
}

/// `cormorant cancel`
struct CancelCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel downloads and discard their bytes."
    )

    @OptionGroup var target: BulkTarget

    @Flag(help: "Keep the bytes, so that retry resumes.")
    var keepPartial = false

    @OptionGroup(title: "Service") var connection: ServerOptions

    func run(_ client: CormorantClient) async throws {
        var bulk = BulkRun(client: client, target: target, action: "cancel", done: "cancelled", isDestructive: true)
        bulk.keepsPartial = keepPartial
        try await bulk.run()
    }
}

/// `cormorant retry`
struct RetryCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Try failed and cancelled downloads again; kept bytes are used.",
        discussion: """
            The options of the request change it before the retry, for ids or names of downloads. The word none clears \
            a value. cormorant set has more options.
            """
    )

    @OptionGroup var target: BulkTarget

    @OptionGroup(title: "The request") var request: RequestChanges
    @OptionGroup(title: "Service") var connection: ServerOptions

    func validate() throws {
        var patch = Download.Patch()
        try request.apply(to: &patch, readFile: { _ in [] })
        let isRead = [request.login.login, request.login.bearer].contains { $0?.hasPrefix("@") == true }
        guard !target.downloads.isEmpty && !target.dryRun || (patch == Download.Patch() && !isRead) else {
            throw ValidationError("Changes of the request are for ids or names of downloads, not for filters or --all.")
        }
    }

    func run(_ client: CormorantClient) async throws {
        var bulk = BulkRun(client: client, target: target, action: "retry", done: "retried")
        try request.apply(to: &bulk.changes, readFile: GetPlan.readHeaderFile)
        try await bulk.run()
    }
}

/// `cormorant rm`
struct RemoveCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Delete downloads: record, bytes and finished file."
    )

    @OptionGroup var target: BulkTarget

    @Flag(help: "Keep the finished files.")
    var keepFiles = false

    @Flag(name: .shortAndLong, help: "Also those that have not ended; they are cancelled.")
    var force = false

    @OptionGroup(title: "Service") var connection: ServerOptions

    func run(_ client: CormorantClient) async throws {
        var bulk = BulkRun(client: client, target: target, action: "delete", done: "deleted", isDestructive: true)
        bulk.force = force
        bulk.keepsFile = keepFiles
        try await bulk.run()
    }
}

/// `cormorant prune`
struct PruneCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Delete the records of downloads that ended long ago; files stay unless --files is given."
    )

    @Option(help: ArgumentHelp("How long ago they ended, such as 7d.", valueName: "duration"))
    var olderThan: PastTime

    @Flag(help: "Delete their finished files too.")
    var files = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Only downloads of this session.", valueName: "name"),
        completion: .custom(ShellCompletions.sessions)
    )
    var session: String?

    @Flag(help: "Say how many it would delete, and delete none.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func run(_ client: CormorantClient) async throws {
        var bulk = BulkAction("delete", filter: DownloadFilter())
        bulk.filter?.state = ["completed", "failed", "cancelled"]
        bulk.filter?.finishedBefore = olderThan.date
        bulk.filter?.session = session
        bulk.deleteFile = files
        let done = files ? "deleted with their files" : "deleted"
        let progress = BulkProgress(client: client, done: done, isDestructive: true, format: output.output)
        try await progress.run(bulk, isDryRun: dryRun, isSure: yes)
    }
}
