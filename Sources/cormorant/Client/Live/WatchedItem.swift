import Application
import Client
import FoundationEssentials
import Synchronization

/// A download of the service as a line of the display.
final class WatchedItem: ProgressSource {
    private let latest: Mutex<Client.Download>

    init(_ download: Client.Download) { latest = Mutex(download) }

    var download: Client.Download {
        get { latest.withLock { $0 } }
        set { latest.withLock { $0 = newValue } }
    }

    func snapshot(at now: ContinuousClock.Instant) -> ProgressSnapshot? {
        let download = download
        guard let activity = Self.activity(download, now: Date()) else { return nil }
        return ProgressSnapshot(
            name: (download.name ?? download.id).printable,
            activity: activity,
            receivedBytes: download.progress?.receivedBytes ?? 0,
            totalBytes: download.progress?.totalBytes
        )
    }

    /// - Returns: nil for a download that has ended.
    static func activity(_ download: Client.Download, now: Date) -> ProgressSnapshot.Activity? {
        switch download.state {
        case "completed", "failed", "cancelled", DownloadFollower.deleted: nil
        case "running":
            switch download.phase {
            case "transferring": .receiving(bytesPerSecond: Double(download.progress?.bytesPerSecond ?? 0))
            case "verifying": .verifying(download.progress?.verifiedBytes)
            case "publishing": .publishing
            default: .connecting
            }
        case "waiting":
            if download.waitingFor == "retry", let next = download.nextAttemptAt {
                .waiting(.seconds(max(0, next.timeIntervalSince(now))), why: reason(download))
            } else {
                .held("waiting: \(reason(download))")
            }
        default:
            .held((download.waitingReason.map { "\(download.state): \($0)" } ?? download.state).printable)
        }
    }

    private static func reason(_ download: Client.Download) -> String {
        (download.waitingReason ?? download.error?.message ?? download.waitingFor ?? "").printable
    }
}
