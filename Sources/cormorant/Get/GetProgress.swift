import Core

/// The state of a download of `get`, as in its state file.
struct GetProgress: Hashable, Sendable {
    var download: Download
    var segments: [Segment]
    var hostRefusesRanges: Bool

    init(download: Download, segments: [Segment] = [], hostRefusesRanges: Bool = false) {
        self.download = download
        self.segments = segments
        self.hostRefusesRanges = hostRefusesRanges
    }

    /// A new download without bytes.
    static func beginning(_ request: DownloadRequest, at now: Timestamp) -> Self {
        Self(download: download(DownloadID(at: now), request, at: now))
    }

    /// A running download. Its deadline is a hundred years ahead, because the user decides when it ends.
    static func download(_ id: DownloadID, _ request: DownloadRequest, at now: Timestamp) -> Download {
        let times = Download.Times(createdAt: now, deadlineAt: now + .seconds(100 * 365 * 86_400))
        var download = Download(id: id, request: request, state: .running, times: times)
        download.phase = .probing
        return download
    }

    /// Records durable bytes.
    mutating func apply(_ checkpoint: Checkpoint) {
        download.generation = checkpoint.generation
        download.source = checkpoint.source
        download.progress.totalBytes = checkpoint.totalBytes
        segments = checkpoint.segments
        download.progress.durableBytes = segments.reduce(0) { $0 + $1.durableEnd - $1.start }
    }

    /// Discards the bytes and starts a new generation.
    mutating func startOver() {
        download.generation += 1
        download.phase = .probing
        download.file = nil
        download.forgetBytes()
        segments = []
    }

    /// Records that the file is being published.
    mutating func apply(_ file: PublishedFile, _ checkpoint: Checkpoint) {
        apply(checkpoint)
        download.progress.durableBytes = file.sizeBytes
        download.phase = .publishing
        download.file = file
    }
}
