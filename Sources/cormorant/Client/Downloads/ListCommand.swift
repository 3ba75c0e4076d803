import Application
import ArgumentParser
import Client
import Linux

/// `cormorant ls`
struct ListCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List downloads, the newest first.",
        discussion: """
            The table shows 50 downloads. -o json and -o jsonl show the members of a table; add --full for all members.
            """
    )

    @OptionGroup(title: "Filters") var filters: FilterOptions
    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "created_at, finished_at, priority, size or name; with a minus it descends: --sort=-size.",
            valueName: "order"
        )
    )
    var sort: String?

    @Option(name: .shortAndLong, help: ArgumentHelp("How many downloads.", valueName: "number"))
    var limit = 50

    @Flag(help: "All downloads that match.")
    var all = false

    @Flag(help: "Every member, for -o json and -o jsonl.")
    var full = false

    @Flag(name: .shortAndLong, help: "Show the list again every second, until interrupted.")
    var watch = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit expects a whole number of 1 or more.") }
        guard !(watch && all) else { throw ValidationError("--watch shows one page. Expected --limit, not --all.") }
    }

    func run(_ client: CormorantClient) async throws {
        if watch { return try await ListScreen(command: self, client: client).run() }
        try await print(client)
    }

    private func print(_ client: CormorantClient) async throws {
        let printer = Printer(output.output)
        var cursor: String?
        var shown = 0
        var isLast = false
        var gathered = RawPage()
        while !isLast && (all || shown < limit) {
            let page = try await page(client, cursor: cursor, most: all ? 200 : min(200, limit - shown))
            shown += page.downloads.count
            (cursor, isLast) = (page.nextCursor, page.nextCursor == nil)
            // Lines appear as they come; the columns of a table need all rows.
            if output.output == .jsonl || output.output == .name {
                try list(page, printer)
            } else {
                gathered.append(page)
            }
        }
        if output.output != .jsonl && output.output != .name { try list(gathered, printer) }
        guard !isLast, output.output == .table || output.output == .wide, StandardStream.output.isTerminal else {
            return
        }
        StandardStream.error.tell("There are more than these \(shown). See --limit, --all and the filters.\n")
    }

    private func list(_ page: RawPage, _ printer: Printer) throws {
        let empty =
            filters.filter.isEmpty ? "There are no downloads. 'cormorant add URL' adds one." : "Nothing matches."
        try printer.list(page.raw, names: page.downloads.map(\.id), empty: empty) { isWide in
            DownloadTable.table(page.downloads, isWide: isWide)
        }
    }

    func page(_ client: CormorantClient, cursor: String?, most: Int) async throws(ClientError) -> RawPage {
        var query = DownloadQuery(filter: filters.filter)
        query.sort = sort
        query.limit = most
        query.cursor = cursor
        query.detail =
            switch output.output {
            case .name: .fields(["id"])
            case .wide: .fields(DownloadTable.wideFields)
            case .json, .jsonl: full ? .full : .summary
            case .table: .summary
            }
        return try await RawPage(client, query)
    }
}

/// A page of downloads, decoded and as it came.
struct RawPage {
    var raw: [[UInt8]] = []
    var downloads: [Client.Download] = []
    var nextCursor: String?

    init() {}

    init(_ client: CormorantClient, _ query: DownloadQuery) async throws(ClientError) {
        let (page, bytes) = try await client.rawDownloadPage(query)
        raw = RawJSON.items(bytes)
        downloads = page.items
        nextCursor = page.nextCursor
    }

    mutating func append(_ other: RawPage) {
        raw += other.raw
        downloads += other.downloads
    }
}
