import Application
import ArgumentParser
import Client

/// `cormorant events`
struct EventsCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Show the event log, or follow it.",
        discussion: """
            One event a line: time, type, and what it is about. With --follow, new events follow as they happen, \
            across restarts of the service; -o json then has one event a line too.
            """
    )

    @Flag(name: .shortAndLong, help: "Wait for new events, until interrupted.")
    var follow = false

    @OptionGroup var filter: EventFilterOptions

    @Option(help: ArgumentHelp("Events after this number.", valueName: "seq"))
    var after: Int64?

    @Option(name: .shortAndLong, help: ArgumentHelp("How many of the newest events.", valueName: "number"))
    var limit = 20

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit expects a whole number of 0 or more.") }
        guard after.map({ $0 >= 0 }) ?? true else { throw ValidationError("--after expects the number of an event.") }
    }

    func run(_ client: CormorantClient) async throws {
        // A stream has no end, so it cannot be one array.
        var printer = ResultPrinter(follow && output.output == .json ? .jsonl : output.output, isSeveral: true)
        var query = EventQuery(types: filter.types, session: filter.session, afterSeq: after)
        let last = try await printPast(&query, client, &printer)
        try printer.end()
        guard follow else { return }
        query.afterSeq = last
        query.hasSnapshot = false
        for try await item in client.events(query) {
            if case .event(let event) = item { try Self.print(event, &printer) }
        }
    }

    /// - Returns: The number after which new events follow.
    private func printPast(
        _ query: inout EventQuery,
        _ client: CormorantClient,
        _ printer: inout ResultPrinter
    ) async throws -> Int64? {
        if query.afterSeq == nil {
            // The newest events are at the end of the log.
            let newest = try await client.eventPage(EventQuery(), limit: 1).newestSeq ?? 0
            guard limit > 0 else { return newest }
            query.afterSeq = try await start(newest, query, client)
        }
        var kept: [Event] = []
        while true {
            let (page, raw) = try await client.rawEventPage(query, limit: 200)
            kept += zip(page.items, RawJSON.items(raw)).map { event, raw in
                var event = event
                event.json = String(decoding: raw, as: UTF8.self)
                return event
            }
            if after == nil { kept = Array(kept.suffix(limit)) }
            let next = page.nextAfterSeq ?? query.afterSeq ?? 0
            let isLast = next >= page.newestSeq ?? 0 || next == query.afterSeq
            query.afterSeq = next
            if after != nil {
                for event in kept { try Self.print(event, &printer) }
                kept = []
            }
            if isLast { break }
        }
        for event in kept { try Self.print(event, &printer) }
        return query.afterSeq
    }

    /// Where to begin, so that about the newest ``limit`` events follow: numbers have gaps, and filters skip events.
    private func start(_ newest: Int64, _ query: EventQuery, _ client: CormorantClient) async throws -> Int64? {
        guard query.types.isEmpty && query.session == nil else { return nil }
        let oldest = try await client.eventPage(EventQuery(), limit: 1).oldestSeq ?? 1
        return max(oldest - 1, newest - Int64(limit) * 2)
    }

    private static func print(_ event: Event, _ printer: inout ResultPrinter) throws {
        let isColoured = printer.printer.isColoured
        try printer.add(Array((event.json ?? "{}").utf8), name: event.id) { _ in
            [EventText.line(event, isColoured: isColoured)]
        }
    }
}

/// An event as text.
enum EventText {
    /// `2026-01-02T03:04:05.678Z  download.completed  a.iso  dl_…`
    static func line(_ event: Event, isColoured: Bool) -> String {
        let time = TextStyle.dim.apply(event.timestamp.map { InstantText.text($0) } ?? "-", isColoured: isColoured)
        let word = event.type.split(separator: ".").last ?? ""
        let type = TextStyle.state(word).apply(event.type.printable.fitted(to: 21), isColoured: isColoured)
        return "\(time)  \(type)  \(subject(event).printable)"
    }

    static func subject(_ event: Event) -> String {
        if let download = event.download {
            let reason =
                ["download.failed", "download.retrying", "download.waiting"].contains(event.type)
                ? download.error?.message ?? download.waitingReason : nil
            return "\(download.name ?? "-")  \(download.id)" + (reason.map { "  \($0)" } ?? "")
        }
        let data = event.data
        return [data["session"]?.text, data["id"]?.text, data["action"]?.text, data["url"]?.text].compactMap(\.self)
            .joined(separator: "  ")
    }
}
