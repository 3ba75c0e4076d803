import Application
import ArgumentParser
import Client

/// `cormorant sessions`
struct SessionsCommand: ServiceCommand {
    static let configuration = CommandConfiguration(commandName: "sessions", abstract: "List sessions, or show some.")

    @Argument(
        help: ArgumentHelp("The names of sessions; all if there are none.", valueName: "name"),
        completion: .custom(ShellCompletions.sessions)
    )
    var names: [String] = []

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func run(_ client: CormorantClient) async throws {
        let inventory = Inventory(client: client, printer: Printer(output.output), path: "/sessions", names: names)
        try await inventory.print(
            empty: "There are no sessions. 'cormorant add --session NAME URL' makes one.",
            name: { (session: Client.Session) in session.name },
            fields: SessionFields.all,
            table: SessionFields.table
        )
    }
}

enum SessionFields {
    static func table(_ sessions: [Client.Session]) -> Table {
        var table = Table([
            .init(title: "NAME", isFlexible: true), .init(title: "OPEN", isRight: true),
            .init(title: "COMPLETED", isRight: true, rank: 3), .init(title: "FAILED", isRight: true, rank: 4),
            .init(title: "RECEIVED", isRight: true, rank: 2), .init(title: "TOTAL", isRight: true, rank: 1),
            .init(title: "AGE", isRight: true, rank: 0), .init(title: "DESCRIPTION", isFlexible: true, rank: -1),
        ])
        table.rows = sessions.map(row)
        return table
    }

    private static func row(_ session: Client.Session) -> [Table.Cell] {
        let failed = session.counts?["failed"]
        return [
            .init(session.name), .init(session.openCount.map { "\($0)" }),
            .init(session.counts?["completed"].map { "\($0)" }),
            .init(failed.map { "\($0)" }, failed ?? 0 > 0 ? .red : .plain),
            .init(Shown.size(session.receivedBytes)), .init(Shown.size(session.totalBytes)),
            .init(Shown.age(session.createdAt)?.replacing(" ago", with: "")), .init(session.description),
        ]
    }

    static func all(_ session: Client.Session) -> [Field?] {
        let counts = (session.counts ?? [:]).filter { $0.value > 0 }.sorted { $0.key < $1.key }
        let labels = (session.labels ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
        return [
            Field("name", session.name, .bold), Field("description", session.description),
            Field("downloads", counts.map { "\($0.value) \($0.key)" }.joined(separator: ", ")),
            Field("sealed", session.sealed == true ? "yes" : nil),
            Field("received", Shown.size(session.receivedBytes)), Field("total", Shown.size(session.totalBytes)),
            Field("rate limit", Shown.rate(session.limits?.rateBytesPerSecond) ?? "none"),
            Field("at once", session.limits?.maxConcurrent.map { "\($0)" } ?? "no limit"),
            Field("quota", Shown.size(session.limits?.maxBytes)), Field("labels", labels.joined(separator: ", ")),
            Field("created", Shown.instantAndAge(session.createdAt)),
            Field("finished", Shown.instantAndAge(session.finishedAt)),
        ]
    }
}

/// `cormorant hosts`
struct HostsCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "hosts",
        abstract: "List the hosts of origins, what limits them and why; or show some."
    )

    @Argument(
        help: ArgumentHelp("Hosts with their port, such as example.com:443.", valueName: "host:port"),
        completion: .custom(ShellCompletions.hosts)
    )
    var names: [String] = []

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func run(_ client: CormorantClient) async throws {
        let inventory = Inventory(client: client, printer: Printer(output.output), path: "/hosts", names: names)
        try await inventory.print(
            empty: "No host is known yet.",
            name: { (host: Client.Host) in host.authority },
            fields: HostFields.all,
            table: { hosts in
                var table = Table([
                    .init(title: "HOST", isFlexible: true), .init(title: "STATE"),
                    .init(title: "CONNECTIONS", isRight: true), .init(title: "LIMIT", isRight: true),
                    .init(title: "RATE LIMIT", isRight: true), .init(title: "REASON", isFlexible: true),
                ])
                table.rows = hosts.map { host in
                    [
                        .init(host.authority), .init(host.state, .state(host.state)),
                        .init(host.openConnections.map { "\($0)" }), .init(host.connectionLimit.map { "\($0)" }),
                        .init(Shown.rate(host.limits?.rateBytesPerSecond)), .init(host.waitingReason ?? host.reason),
                    ]
                }
                return table
            }
        )
    }
}

enum HostFields {
    static func all(_ host: Client.Host) -> [Field?] {
        let limit = host.connectionLimit.map { limit in
            host.maxConnectionLimit.map { "\(limit) of \($0) at most" } ?? "\(limit)"
        }
        return [
            Field("host", host.authority, .bold), Field("state", host.state, .state(host.state)),
            Field("why", host.waitingReason), Field("held until", Shown.instantAndAge(host.heldUntilAt)),
            Field("connections", host.openConnections.map { "\($0)" }), Field("connection limit", limit),
            Field("rate limit", Shown.rate(host.limits?.rateBytesPerSecond) ?? "none"),
        ]
            + (host.events ?? []).map { event in
                let left = event.connectionLimit.map { ", \($0) connection\($0 == 1 ? "" : "s") left" } ?? ""
                return Field("event", "\(Shown.age(event.at) ?? "?"): \(event.cause ?? "?")\(left)")
            }
    }
}

/// A list of resources, or some of them by name.
struct Inventory {
    let client: CormorantClient
    let printer: Printer
    let path: String
    let names: [String]

    func print<Resource: Answer>(
        empty: String,
        name: (Resource) -> String,
        fields: (Resource) -> [Field?],
        table: ([Resource]) -> Table
    ) async throws {
        guard names.isEmpty else {
            var results = ResultPrinter(printer.format, isSeveral: names.count > 1)
            for (index, item) in names.enumerated() {
                let (resource, raw): (Resource, [UInt8]) = try await client.raw("\(path)/\(item.escapedForPath)")
                try results.add(raw, name: name(resource)) { _ in
                    let shown = fields(resource).compactMap(\.self)
                    let lines = Field.lines(shown, width: printer.width, isColoured: printer.isColoured)
                    return (index > 0 ? [""] : []) + lines
                }
            }
            return try results.end()
        }
        var (items, raws): ([Resource], [[UInt8]]) = ([], [])
        var cursor: String?
        repeat {
            let query = [APIRequest.Pair("limit", "200")] + (cursor.map { [APIRequest.Pair("cursor", $0)] } ?? [])
            let (page, raw): (Page<Resource>, [UInt8]) = try await client.raw(path, query: query)
            items += page.items
            raws += RawJSON.items(raw)
            cursor = page.nextCursor
        } while cursor != nil
        try printer.list(raws, names: items.map(name), empty: empty) { _ in table(items) }
    }
}
