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

/// A format that `import` reads.
enum ImportFormat: String, CaseIterable, ExpressibleByArgument {
    case auto, urls, aria2, metalink, curl

    /// The format of a text, by its first lines.
    static func recognised(in text: String) -> ImportFormat {
        let lines = text.split(whereSeparator: \.isNewline).filter { line in
            line.contains { !$0.isWhitespace } && !line.hasPrefix("#")
        }
        guard let first = lines.first else { return .urls }
        if first.contains("<") && !first.contains("://") || first.hasPrefix("<") { return .metalink }
        if lines.contains(where: { $0.first?.isWhitespace == true || $0.contains("\t") }) { return .aria2 }
        let isURL = first.prefix { $0 != ":" }.allSatisfy { $0.isLetter || $0.isNumber } && first.contains("://")
        return isURL ? .urls : .curl
    }
}

/// What a file says.
struct ImportReading {
    struct Entry: Hashable {
        var line: Int
        var new: Download.Request
    }

    /// An option without a counterpart.
    struct Unknown: Hashable {
        var line: Int
        var name: String
    }

    /// What ``Entry/line`` counts, for errors.
    var unit = "line"
    var entries: [Entry] = []
    var unknown: [Unknown] = []

    mutating func read(_ text: String, _ format: ImportFormat) throws(ImportError) {
        switch format {
        case .auto, .urls:
            entries = URLList.parse(text).map { Entry(line: $0.number, new: Download.Request(url: $0.url)) }
        case .aria2: try readAria2(text)
        case .curl: try readCurl(text)
        case .metalink: try readMetalink(text)
        }
        guard !entries.isEmpty else { throw ImportError([": it names no URL"]) }
    }
}

/// Why a file cannot be read: one text for each place, to follow the name of the file.
struct ImportError: Error, Hashable {
    let lines: [String]

    init(_ lines: [String]) { self.lines = lines }

    init(line: Int, _ text: String) { lines = [", line \(line): \(text)"] }
}

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
