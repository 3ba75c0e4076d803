import Application
import ArgumentParser
import Client
import Linux

/// `cormorant import`
struct ImportCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Add the downloads of a file: a list of URLs, aria2, Metalink 4 or curl -K.",
        discussion: """
            The format is recognised by the contents; --format names it. Options of aria2 and curl without a \
            counterpart are named, and nothing is added, unless --ignore-unknown skips them.
            """
    )

    @Argument(help: ArgumentHelp("The file; - for standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(help: "The format; auto by default.")
    var format = ImportFormat.auto

    @Flag(help: "Skip options without a counterpart, and name them.")
    var ignoreUnknown = false

    @OptionGroup(title: "Downloads") var options: NewDownloadOptions

    @Flag(help: "Print what would be added as JSON, and add nothing.")
    var dryRun = false

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        _ = try options.template(readFile: { _ in [] })
    }

    func run(_ client: CormorantClient) async throws {
        let text = try InputText.read(file)
        let template = try options.template()
        let shown = InputText.shown(file)
        var reading = ImportReading()
        do {
            try reading.read(text, format == .auto ? .recognised(in: text) : format)
        } catch {
            throw CommandFailure(.data, error.lines.map { "\(shown)\($0)" }.joined(separator: "\n"))
        }
        if !reading.unknown.isEmpty {
            let lines = reading.unknown.map { "\(shown), line \($0.line): the option \($0.name) has no counterpart" }
            guard ignoreUnknown else {
                let hint = "Nothing was added. Remove these options, or skip them with --ignore-unknown."
                throw CommandFailure(.data, (lines + [hint]).joined(separator: "\n"))
            }
            StandardStream.error.tell(lines.map { "cormorant: \($0); skipped\n" }.joined())
        }
        let items = reading.entries.map { entry in
            Adder.Item(new: entry.new.filled(from: template), place: "\(shown), \(reading.unit) \(entry.line)")
        }
        if dryRun {
            let requests = try items.map { Array(try $0.new.json().utf8) }
            let printer = Printer(output.output)
            return try output.output == .json ? printer.array(requests) : printer.lines(requests.map(RawJSON.line))
        }
        let result = try await Adder(client: client, format: output.output, isSeveral: true).add(items)
        if let status = result.status { throw status.code }
    }
}

extension ImportFormat: ExpressibleByArgument {}

extension Download.Request {
    /// The download with the options of the command line where the file says nothing.
    func filled(from template: Download.Request) -> Download.Request {
        var new = self
        new.session = session ?? template.session
        new.directory = directory ?? template.directory
        new.onConflict = onConflict ?? template.onConflict
        new.priority = priority ?? template.priority
        new.notBeforeAt = template.notBeforeAt
        new.deadlineAt = template.deadlineAt
        new.labels = template.labels
        new.description = description ?? template.description
        new.start = start ?? template.start
        new.authentication = authentication ?? template.authentication
        new.cookies = cookies ?? template.cookies
        new.acceptHTML = acceptHTML ?? template.acceptHTML
        if let headers = template.requestHeaders {
            new.requestHeaders = headers.merging(requestHeaders ?? [:]) { $1 }
        }
        if let limits = template.limits {
            new.limits = Client.Download.Limits(
                maxBytes: self.limits?.maxBytes,
                rateBytesPerSecond: self.limits?.rateBytesPerSecond ?? limits.rateBytesPerSecond,
                connections: self.limits?.connections ?? limits.connections
            )
        }
        return new
    }
}
