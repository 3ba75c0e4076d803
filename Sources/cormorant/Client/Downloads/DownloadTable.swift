import Application
import Client
import FoundationEssentials

/// The table of `ls`.
enum DownloadTable {
    /// The members that it needs, where `view=summary` does not have them.
    static let wideFields = [
        "name", "state", "phase", "waiting_for", "session", "priority", "progress", "error", "created_at",
        "finished_at", "url", "directory",
    ]

    static func table(_ downloads: [Client.Download], isWide: Bool, now: Date = Date()) -> Table {
        var columns: [Table.Column] = [
            .init(title: "ID"), .init(title: "NAME", isFlexible: true), .init(title: "STATE", isFlexible: true),
            .init(title: "DONE", isRight: true, rank: 5), .init(title: "SIZE", isRight: true, rank: 4),
            .init(title: "SPEED", isRight: true, rank: 3), .init(title: "LEFT", isRight: true, rank: 1),
            .init(title: "SESSION", rank: 0), .init(title: "AGE", isRight: true, rank: 2),
        ]
        if isWide {
            columns += [.init(title: "PRIORITY", isRight: true, rank: -1), .init(title: "FOLDER", rank: -2)]
            columns.append(.init(title: "URL", isFlexible: true))
        }
        var table = Table(columns)
        let ids = isWide ? downloads.map(\.id) : IDPrefix.shortened(downloads.map(\.id))
        table.rows = zip(ids, downloads).map { id, download in
            var row = cells(id, download, now)
            if isWide {
                row += [.init("\(download.priority ?? 0)"), .init(download.directory), .init(download.url)]
            }
            return row
        }
        return table
    }

    private static func cells(_ id: String, _ download: Client.Download, _ now: Date) -> [Table.Cell] {
        let state = state(download)
        let progress = download.progress
        let isDone = download.state == "completed"
        return [
            .init(id, .dim), .init(download.name), .init(state, .state(state)),
            .init(isDone ? "100 %" : Shown.percent(progress?.receivedBytes, progress?.totalBytes)),
            .init(Shown.size(progress?.totalBytes ?? (isDone ? progress?.receivedBytes : nil))),
            .init(Shown.rate(progress?.bytesPerSecond)),
            .init(progress?.etaSeconds.map { DurationText.clock(.seconds($0)) }),
            .init(download.session),
            .init(download.createdAt.map { Shown.span(now.timeIntervalSince($0)) }),
        ]
    }

    /// The state with its reason: `waiting: host`, `failed: timeout`, `running: verifying`.
    static func state(_ download: Client.Download) -> String {
        switch download.state {
        case "failed": download.error.map { "failed: \($0.code)" } ?? "failed"
        case "running": download.phase.map { $0 == "transferring" ? "running" : "running: \($0)" } ?? "running"
        default: download.waitingFor.map { "\(download.state): \($0)" } ?? download.state
        }
    }
}
