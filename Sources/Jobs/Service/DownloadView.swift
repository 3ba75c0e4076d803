public import Model
public import Transfers

/// A download as a caller sees it: the record, and for a running one the live reading ahead of it.
public struct DownloadView: Sendable {
    public let download: Download
    public let live: ProgressMeter.Reading?

    public init(download: Download, live: ProgressMeter.Reading? = nil) {
        self.download = download
        self.live = live
    }
}
