public import Model

/// A download as a caller sees it: the record, and for a running one the live reading ahead of it.
public struct DownloadView: Sendable {
    public let download: Download
    /// nil while no worker of this process has it.
    public let live: ProgressReading?

    public init(download: Download, live: ProgressReading? = nil) {
        self.download = download
        self.live = live
    }
}
