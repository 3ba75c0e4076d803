import Application
import ArgumentParser
import Client
import FoundationEssentials

/// `cormorant why`
struct WhyCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Say why a download is in its state, what was tried, and what happens next."
    )

    @Argument(
        help: ArgumentHelp("An id, the unique start of one, or a name.", valueName: "id"),
        completion: .custom(ShellCompletions.downloads)
    )
    var download: String

    @Option(name: .shortAndLong, help: ArgumentHelp("How many of the last requests.", valueName: "number"))
    var limit = 5

    @OptionGroup(title: "Service") var connection: ServerOptions

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit expects a whole number of 0 or more.") }
    }

    func run(_ client: CormorantClient) async throws {
        let id = try await DownloadNames(client: client).id(download)
        let download = try await client.download(id)
        var last: [Attempt] = []
        if limit > 0 {
            // The newest come first.
            for try await attempt in client.attempts(of: id) {
                last.append(attempt)
                if last.count == limit { break }
            }
        }
        let printer = Printer(.table)
        let name = TextStyle.bold.apply((download.name ?? id).printable, isColoured: printer.isColoured)
        let state = TextStyle.state(download.state).apply(download.state.printable, isColoured: printer.isColoured)
        try printer.line("\(name) is \(state).")
        let limits = Explanation.needsLimits(download) ? try await client.limits() : nil
        let sentences = Explanation.lines(download, isPaused: limits?.paused == true)
        try printer.lines(sentences.flatMap { $0.printable.wrapped(to: printer.width) })
        guard !last.isEmpty else { return }
        try printer.line("\nThe last requests to the origin:")
        try printer.lines(
            Explanation.table(last).lines(width: printer.width, isColoured: printer.isColoured)
        )
    }
}

/// The sentences of `why`.
enum Explanation {
    /// Whether the pause of all downloads may matter to a download.
    static func needsLimits(_ download: Client.Download) -> Bool { ["queued", "waiting"].contains(download.state) }

    /// - Parameter isPaused: Whether all downloads are paused.
    static func lines(_ download: Client.Download, isPaused: Bool = false, now: Date = Date()) -> [String] {
        var lines: [String] = []
        if let reason = download.waitingReason { lines.append(reason) }
        lines += standing(download, now)
        if let error = download.error, download.state != "completed" {
            let at = error.occurredAt.flatMap { Shown.age($0, now: now) }.map { ", \($0)" } ?? ""
            lines.append("The last error\(at): \(error.message ?? error.code) (\(error.code))")
        }
        if let next = next(download, now) { lines.append(next) }
        if isPaused { lines.append("All downloads are paused; 'cormorant limit --resume' ends that.") }
        return lines
    }

    private static func standing(_ download: Client.Download, _ now: Date) -> [String] {
        let progress = download.progress
        let received = Shown.size(progress?.receivedBytes) ?? "0 B"
        let whole = Shown.size(progress?.totalBytes).map { " of \($0)" } ?? ""
        switch download.state {
        case "completed":
            let at = Shown.age(download.finishedAt, now: now) ?? "now"
            var lines = ["It was verified and put in its place \(at): \(download.file?.path ?? "?")."]
            if download.file?.available == false { lines.append("The file is missing there now, or was changed.") }
            return lines
        case "running":
            let speed = Shown.rate(progress?.bytesPerSecond).map { " at \($0)" } ?? ""
            let connections = progress?.connections ?? 0
            return [
                "\(received)\(whole) received\(speed) over \(connections) "
                    + "connection\(connections == 1 ? "" : "s"); phase: \(download.phase ?? "unknown")."
            ]
        case "queued" where download.waitingReason == nil:
            return [
                "It starts as soon as a slot is free. 'cormorant limit' and 'cormorant hosts' show what is limited."
            ]
        default:
            return progress?.receivedBytes ?? 0 > 0 ? ["\(received)\(whole) are kept."] : []
        }
    }

    /// What happens next, or what the user can do.
    private static func next(_ download: Client.Download, _ now: Date) -> String? {
        let id = download.id
        switch download.state {
        case "waiting" where download.waitingFor == "credentials":
            return
                "'cormorant set \(id) --login NAME:PASSWORD' gives it a login; --bearer, --header and --url also can."
        case "waiting", "queued":
            guard let next = download.nextAttemptAt ?? download.notBeforeAt, next > now else { return nil }
            // A host that asked for a pause is not asked earlier.
            let resumes = download.allowedActions?.contains("resume") == true && download.waitingFor != "host"
            return "Next attempt \(Shown.age(next, now: now) ?? "soon"), at \(InstantText.text(next))."
                + (resumes ? " 'cormorant resume \(id)' tries now." : "")
        case "paused": return "'cormorant resume \(id)' continues it."
        case "failed", "cancelled":
            let bytes = download.progress?.receivedBytes ?? 0 > 0 ? " It resumes where it stopped." : ""
            let change = advice(download).map { " \($0)" } ?? ""
            return "Nothing happens by itself. 'cormorant retry \(id)' tries again.\(bytes)\(change)"
        default: return nil
        }
    }

    /// A change of the request that may help, as a command.
    static func advice(_ download: Client.Download) -> String? {
        guard download.state != "cancelled", let code = download.error?.code else { return nil }
        let retry = "'cormorant retry \(download.id)"
        return switch code {
        case "auth_required": "\(retry) --login NAME:PASSWORD' gives it a login; --bearer and --header also can."
        case "unexpected_page": "If a web page is wanted: \(retry) --accept-html'."
        case "checksum_mismatch": "If the digest is wrong: \(retry) --digest sha-256=HEX', or --digest none."
        case "size_mismatch": "If the size is wrong: \(retry) --size BYTES', or --size none."
        case "too_large": "\(retry) --max-bytes SIZE' permits a larger file."
        case "deadline_exceeded": "\(retry) --deadline 7d' gives it more time."
        case "file_not_found", "http_client_error", "link_refresh_failed", "dns_failure":
            "If the file has moved: \(retry) --url URL'."
        default: nil
        }
    }

    static func table(_ attempts: [Attempt]) -> Table {
        var table = Table([
            Table.Column(title: "NO", isRight: true), Table.Column(title: "STARTED"),
            Table.Column(title: "STATUS", isRight: true), Table.Column(title: "BYTES", isRight: true),
            Table.Column(title: "TOOK", isRight: true), Table.Column(title: "DECISION"),
            Table.Column(title: "REASON", isFlexible: true),
        ])
        table.rows = attempts.map { attempt in
            [
                .init("\(attempt.number)"), .init(Shown.age(attempt.startedAt)),
                .init(attempt.httpStatus.map { "\($0)" }), .init(Shown.size(attempt.receivedBytes)),
                .init(attempt.durationMs.map { $0 < 1000 ? "\($0) ms" : Shown.span(Double($0) / 1000) }),
                .init(attempt.decision), .init(attempt.error ?? attempt.reason),
            ]
        }
        return table
    }
}
