import Application
import ArgumentParser
import Client
import Linux

/// What an action is for: ids or names, filters, or everything.
struct BulkTarget: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Ids, unique starts of ids, or names.", valueName: "id"),
        completion: .custom(ShellCompletions.downloads)
    )
    var downloads: [String] = []

    @OptionGroup(title: "Filters") var filters: FilterOptions

    @Flag(help: "All downloads.")
    var all = false

    @Flag(help: "Say how many downloads it would change, and change none.")
    var dryRun = false

    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        let isFiltered = !filters.filter.isEmpty
        guard !downloads.isEmpty || isFiltered || all else {
            throw ValidationError("Expected ids or names of downloads, filters, or --all.")
        }
        guard downloads.isEmpty || !(isFiltered || all) else {
            throw ValidationError("Expected either ids or names of downloads, or filters and --all, not both.")
        }
        guard !(isFiltered && all) else {
            throw ValidationError("--all is every download. Expected filters or --all, not both.")
        }
    }
}

/// Carries an action on downloads out.
struct BulkRun {
    let client: CormorantClient
    let target: BulkTarget
    /// `pause`, `resume`, `cancel`, `retry` or `delete`.
    let action: String
    /// What is said of a changed download: `paused`.
    let done: String
    /// Whether it asks before it acts on what filters match: it cannot be undone.
    var isDestructive = false
    var keepsPartial = false
    var force = false
    var keepsFile = false
    /// What is changed with the action, by id only.
    var changes = Download.Patch()

    func run() async throws {
        if target.downloads.isEmpty || target.dryRun { try await runOnMany() } else { try await runOnEach() }
    }

    // MARK: - By id

    /// One request for each, so that each refusal says why.
    private func runOnEach() async throws {
        var status: ExitStatus?
        var results = ResultPrinter(target.output.output, isSeveral: target.downloads.count > 1)
        for id in try await DownloadNames(client: client).ids(target.downloads) {
            do {
                let (download, raw) = try await act(on: id)
                try results.add(raw, name: id) { _ in ["\(done)  \(id)  \(download.name ?? "")".printable] }
            } catch ClientError.problem(let problem) where problem.status != 401 {
                status = status ?? ExitStatus(problem)
                StandardStream.error.tell("cormorant: \(id): \(problem.reasons.joined(separator: " ").printable)\n")
            }
        }
        try results.end()
        if let status { throw status.code }
    }

    /// - Returns: The changed download, or the deleted one as it was.
    private func act(on id: String) async throws(ClientError) -> (Client.Download, [UInt8]) {
        if action == "delete" {
            let deleted = try await client.rawDownload(id)
            try await client.deleteDownload(id, force: force, keepsFile: keepsFile)
            return deleted
        }
        var patch = changes
        patch.action = action
        if action == "cancel", keepsPartial { patch.keepPartial = true }
        if action == "retry", force { patch.force = true }
        return try await client.rawChangeDownload(id, patch)
    }

    // MARK: - By filter

    private func runOnMany() async throws {
        var bulk = BulkAction(action)
        if target.downloads.isEmpty {
            bulk.filter = target.filters.filter
        } else {
            bulk.ids = try await DownloadNames(client: client).ids(target.downloads)
        }
        if action == "cancel", keepsPartial { bulk.keepPartial = true }
        if action == "delete" {
            if force { bulk.force = true }
            bulk.deleteFile = !keepsFile
        }
        let progress = BulkProgress(
            client: client,
            done: done,
            isDestructive: isDestructive,
            format: target.output.output
        )
        try await progress.run(bulk, isDryRun: target.dryRun, isSure: target.yes)
    }
}

/// Asks, starts an operation, and shows its counts until it has ended.
struct BulkProgress {
    let client: CormorantClient
    let done: String
    let isDestructive: Bool
    let format: OutputFormat

    func run(_ bulk: BulkAction, isDryRun: Bool, isSure: Bool) async throws {
        if isDryRun {
            let operation = try await rehearse(bulk)
            let rest = operation.unchanged > 0 ? ", \(operation.unchanged) unchanged" : ""
            return try await put(operation, "\(operation.changed) would be \(done)\(rest)")
        }
        if isDestructive, !isSure {
            guard try await isConfirmed(bulk) else { throw CommandFailure(.usage, "nothing was changed") }
        }
        let operation = try await finish(bulk)
        try await report(operation)
    }

    /// Prints the operation in the chosen form.
    ///
    /// - Parameter text: What people read.
    private func put(_ operation: Client.Operation, _ text: String) async throws {
        var results = ResultPrinter(format, isSeveral: false)
        var raw: [UInt8] = []
        if !results.printer.isForPeople {
            let read: (Client.Operation, [UInt8]) = try await client.raw(APIRequest.path("operations", operation.id))
            raw = read.1
        }
        try results.add(raw, name: operation.id) { _ in [text] }
        try results.end()
    }

    private func rehearse(_ bulk: BulkAction) async throws(ClientError) -> Client.Operation {
        var rehearsal = bulk
        rehearsal.dryRun = true
        return try await client.finish(rehearsal)
    }

    private func isConfirmed(_ bulk: BulkAction) async throws -> Bool {
        guard Question.canAsk else {
            throw CommandFailure(.usage, "there is no terminal to ask for confirmation; expected --yes")
        }
        let count = try await rehearse(bulk).changed
        guard count > 0 else { return true }
        return Question.ask("\(count) download\(count == 1 ? "" : "s") will be \(done). Continue?")
    }

    /// The operation continues in the service if the command is interrupted.
    private func finish(_ bulk: BulkAction) async throws -> Client.Operation {
        let showsProgress = StandardStream.error.isTerminal
        let operation = try await client.finish(bulk) { operation in
            guard showsProgress else { return }
            StandardStream.error.write("\r\u{1B}[K\(operation.changed) \(done) of \(operation.matched) examined")
        }
        if showsProgress { StandardStream.error.write("\r\u{1B}[K") }
        return operation
    }

    private func report(_ operation: Client.Operation) async throws {
        var text = "\(operation.changed) \(done)"
        if operation.unchanged > 0 { text += ", \(operation.unchanged) unchanged" }
        if operation.failed > 0 { text += ", \(operation.failed) failed" }
        try await put(operation, text)
        for failure in operation.failures ?? [] {
            StandardStream.error.tell("cormorant: \(failure.id): \((failure.detail ?? failure.code).printable)\n")
        }
        if operation.failed > (operation.failures ?? []).count {
            StandardStream.error.tell("cormorant: … and \(operation.failed - (operation.failures ?? []).count) more\n")
        }
        if operation.failed > 0 { throw ExitStatus.protocol.code }
    }
}

/// A question on the terminal.
enum Question {
    static var canAsk: Bool { StandardInput.isTerminal && StandardStream.error.isTerminal }

    /// - Returns: Whether the answer is yes.
    static func ask(_ text: String) -> Bool {
        StandardStream.error.tell("\(text) [y/N] ")
        let answer = readLine()?.lowercased() ?? ""
        return answer == "y" || answer == "yes"
    }
}
