public import Jobs
public import Model
public import Wire

extension DownloadBody {
    /// A download as a caller sees it at an instant.
    public init(_ view: DownloadView, _ now: Timestamp) {
        self.init(
            download: view.download,
            live: view.live.map { LiveProgress($0, at: now) },
            fileAvailable: view.download.state == .completed
        )
    }
}
