import Application
import ArgumentParser
import Client
import FoundationEssentials

/// `cormorant show`
struct ShowCommand: ServiceCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show downloads with their details.")

    @Argument(
        help: ArgumentHelp("Ids, unique starts of ids, or names.", valueName: "id"),
        completion: .custom(ShellCompletions.downloads)
    )
    var downloads: [String]

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func run(_ client: CormorantClient) async throws {
        var printer = ResultPrinter(output.output, isSeveral: downloads.count > 1)
        let isText = [.table, .wide].contains(output.output)
        let (isColoured, width) = (printer.printer.isColoured, printer.printer.width)
        for (index, id) in try await DownloadNames(client: client).ids(downloads).enumerated() {
            let (download, raw) = try await client.rawDownload(id)
            let hasSegments = isText && !download.isEnded && download.progress?.receivedBytes ?? 0 > 0
            let segments = hasSegments ? try? await client.segments(of: download.id) : nil
            try printer.add(raw, name: download.id) { isWide in
                let fields = DownloadFields.all(download, segments ?? [], isWide: isWide)
                return (index > 0 ? [""] : []) + Field.lines(fields, width: width, isColoured: isColoured)
            }
        }
        try printer.end()
    }
}

/// The lines of `show`.
enum DownloadFields {
    static func all(_ download: Client.Download, _ segments: [Client.Segment] = [], isWide: Bool) -> [Field] {
        (standing(download, segments) + request(download) + times(download) + result(download)
            + (isWide ? origin(download) : [])).compactMap(\.self)
    }

    private static func standing(_ download: Client.Download, _ segments: [Client.Segment]) -> [Field?] {
        let state = DownloadTable.state(download)
        let progress = download.progress
        let done = [
            Shown.size(progress?.receivedBytes), Shown.size(progress?.totalBytes).map { "of \($0)" },
            Shown.percent(progress?.receivedBytes, progress?.totalBytes).map { "(\($0))" },
            progress?.bytesPerSecond.flatMap { Shown.rate($0) }.map { "at \($0)" },
            progress?.etaSeconds.map { "\(DurationText.clock(.seconds($0))) left" },
        ].compactMap(\.self).joined(separator: " ")
        return [
            Field("id", download.id), Field("name", download.name, .bold), Field("state", state, .state(state)),
            Field("why", download.waitingReason), Field("received", done),
            Field("segments", SegmentBar.text(segments)),
            Field("connections", progress?.connections.flatMap { $0 > 0 ? "\($0)" : nil }),
            Field("error", download.error.map { "\($0.code): \($0.message ?? "")" }, .red),
            Field("actions", download.allowedActions?.joined(separator: ", ")),
        ]
    }

    private static func request(_ download: Client.Download) -> [Field?] {
        let labels = (download.labels ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
        return [
            Field("url", download.url), Field("mirrors", download.mirrors?.joined(separator: ", ")),
            Field("session", download.session), Field("folder", download.directory),
            Field("priority", download.priority.flatMap { $0 == 0 ? nil : "\($0)" }),
            Field("rate limit", Shown.rate(download.limits?.rateBytesPerSecond)),
            Field("description", download.description), Field("labels", labels.joined(separator: ", ")),
        ]
    }

    private static func times(_ download: Client.Download) -> [Field?] {
        [
            Field("created", Shown.instantAndAge(download.createdAt)),
            Field("started", Shown.instantAndAge(download.startedAt)),
            Field("finished", Shown.instantAndAge(download.finishedAt)),
            Field("not before", Shown.instantAndAge(download.notBeforeAt)),
            Field("next attempt", Shown.instantAndAge(download.nextAttemptAt)),
            download.isEnded ? nil : Field("deadline", Shown.instantAndAge(download.deadlineAt)),
        ]
    }

    private static func result(_ download: Client.Download) -> [Field?] {
        let digests = (download.file?.digests ?? [:]).sorted { $0.key < $1.key }
        return [
            Field("file", download.file?.path),
            Field("file size", download.file?.sizeBytes.map { "\(ByteSize.rounded($0)) (\($0) bytes)" }),
            download.state == "completed" && download.file?.available == false
                ? Field("file is", "missing or changed", .red) : nil,
        ] + digests.map { Field($0.key, $0.value) }
    }

    private static func origin(_ download: Client.Download) -> [Field?] {
        let counters = download.counters
        return [
            Field("final url", download.source?.finalURL),
            Field("http status", download.source?.httpStatus.map(String.init)),
            Field("etag", download.source?.etag), Field("content type", download.source?.contentType),
            Field("run", counters?.run.map(String.init)), Field("generation", counters?.generation.map(String.init)),
            Field("attempt", counters?.attempt.map(String.init)),
            Field("revision", counters?.revision.map { "\($0)" }),
        ]
    }
}
