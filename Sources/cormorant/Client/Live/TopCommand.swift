import Application
import ArgumentParser
import Client
import Linux

/// `cormorant top`
struct TopCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Show the service on the whole screen: speed, counts, and what runs or waits.",
        discussion: "q or Ctrl-C ends it. Without a terminal it prints the screen once."
    )

    @Option(help: ArgumentHelp("How often it is drawn again.", valueName: "duration"))
    var interval = "1s"

    @OptionGroup(title: "Service") var connection: ServerOptions

    func validate() throws {
        guard let interval = DurationText.parse(interval), interval >= .seconds(1) else {
            throw ValidationError("--interval expects \(DurationText.expectation), of at least 1s.")
        }
    }

    func run(_ client: CormorantClient) async throws {
        let screen = TopScreen(client: client, interval: DurationText.parse(interval) ?? .seconds(1))
        guard StandardStream.output.isTerminal else {
            let reading = try await screen.read()
            return try Printer(.table).lines(TopScreen.lines(reading, width: nil, height: nil, isColoured: false))
        }
        try await screen.run()
    }
}

/// The screen of `top`.
struct TopScreen: Sendable {
    struct Reading: Sendable {
        var server: String
        var stats: Stats
        var limits: Limits
        var downloads: [Client.Download]
    }

    let client: CormorantClient
    let interval: Duration

    /// ECMA-48 and xterm: another screen without a cursor, so that the terminal is afterwards as it was before.
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
    private static let leave = "\u{1B}[?25h\u{1B}[?1049l"

    func run() async throws {
        let mode = TerminalMode.withoutEcho()
        StandardStream.output.write(Self.enter)
        let (failure, signal) = await Interruption.guarding { await draw() }
        StandardStream.output.write(Self.leave)
        mode?.restore()
        if let failure { throw failure }
        if let signal { throw ExitCode(signal) }
    }

    /// - Returns: Why it ended; nil if the user ended it.
    private func draw() async -> ClientError? {
        var lastGood: Reading?
        while !Task.isCancelled {
            var note: String?
            do {
                lastGood = try await read()
            } catch {
                guard lastGood != nil, case .unreachable = error else { return Task.isCancelled ? nil : error }
                note = "\(client.server) does not answer; trying again"
            }
            if let lastGood { show(lastGood, note) }
            let deadline = ContinuousClock.now + interval
            while ContinuousClock.now < deadline, !Task.isCancelled {
                if TerminalMode.pressedKeys().contains(where: { "qQ".utf8.contains($0) }) { return nil }
                // A read of the terminal returns at once, so keys are read again after each pause.
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        return nil
    }

    private func show(_ reading: Reading, _ note: String?) {
        let width = (StandardStream.output.columns ?? 80) - 1
        let height = StandardStream.output.rows ?? 24
        var lines = Self.lines(reading, width: width, height: height, isColoured: StandardStream.output.isColoured)
        if let note {
            lines[0] = TextStyle.red.apply(note.fitted(to: width), isColoured: StandardStream.output.isColoured)
        }
        // Each line is cleared behind its text, so that nothing flickers.
        StandardStream.output.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J")
    }

    func read() async throws(ClientError) -> Reading {
        var query = DownloadQuery()
        query.filter.state = ["running", "waiting", "queued"]
        query.limit = 100
        query.detail = .fields([
            "name", "phase", "waiting_for", "waiting_reason", "progress", "session", "created_at", "error",
        ])
        let stats = try await client.stats()
        let limits = try await client.limits()
        return Reading(
            server: client.server,
            stats: stats,
            limits: limits,
            downloads: try await client.downloadPage(query).items
        )
    }

    static func lines(_ reading: Reading, width: Int?, height: Int?, isColoured: Bool) -> [String] {
        let stats = reading.stats
        let speed = Shown.rate(stats.bytesPerSecond) ?? "0 B/s"
        let limit =
            reading.limits.now?.rateBytesPerSecond.flatMap { $0 > 0 ? Shown.rate($0) : nil }.map { " of \($0)" } ?? ""
        let isPaused = reading.limits.now?.paused ?? false
        let counts = ["running", "waiting", "queued", "paused", "completed", "failed"].map { word in
            TextStyle.state(word).apply("\(stats.counts[word] ?? 0) \(word)", isColoured: isColoured)
        }
        let disk = Shown.size(stats.disk?.freeBytes) ?? "?"
        var lines = [
            "cormorant  \(reading.server.printable)  up \(Shown.span(Double(stats.uptimeSeconds ?? 0)))",
            TextStyle.bold.apply("\(speed)\(limit)", isColoured: isColoured)
                + "  \(stats.connections ?? 0) connections  \(disk) free"
                + (isPaused ? "  " + TextStyle.yellow.apply("all downloads are paused", isColoured: isColoured) : ""),
            counts.joined(separator: "  "), "",
        ]
        var table = Table([
            .init(title: "NAME", isFlexible: true), .init(title: "STATE", isFlexible: true),
            .init(title: "DONE", isRight: true, rank: 3), .init(title: "SIZE", isRight: true, rank: 1),
            .init(title: "SPEED", isRight: true, rank: 4), .init(title: "LEFT", isRight: true, rank: 2),
            .init(title: "WHY", isFlexible: true, rank: 0),
        ])
        let order = ["running": 0, "waiting": 1]
        table.rows = reading.downloads.sorted { left, right in
            (order[left.state] ?? 2, left.id) < (order[right.state] ?? 2, right.id)
        }.map(row)
        let most = height.map { max($0 - lines.count - 1, 2) } ?? .max
        lines += table.lines(width: width, isColoured: isColoured).prefix(most)
        return lines
    }

    private static func row(_ download: Client.Download) -> [Table.Cell] {
        let state = DownloadTable.state(download)
        let progress = download.progress
        return [
            .init(download.name), .init(state, .state(state)),
            .init(Shown.percent(progress?.receivedBytes, progress?.totalBytes)),
            .init(Shown.size(progress?.totalBytes)), .init(Shown.rate(progress?.bytesPerSecond)),
            .init(progress?.etaSeconds.map { DurationText.clock(.seconds($0)) }),
            .init(download.waitingReason ?? ""),
        ]
    }
}
