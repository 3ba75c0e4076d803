import Model

/// How far a download of `get` is: what its state file keeps.
struct GetProgress: Hashable, Sendable {
    var download: Download
    var segments: [Segment]
    var hostRefusesRanges: Bool

    init(download: Download, segments: [Segment] = [], hostRefusesRanges: Bool = false) {
        self.download = download
        self.segments = segments
        self.hostRefusesRanges = hostRefusesRanges
    }

    /// A download that has nothing yet.
    static func beginning(_ request: DownloadRequest, at now: Timestamp) -> Self {
        Self(download: download(DownloadID(at: now), request, at: now))
    }

    /// A running download without a deadline: whoever waits at the terminal ends it.
    static func download(_ id: DownloadID, _ request: DownloadRequest, at now: Timestamp) -> Download {
        let times = Download.Times(createdAt: now, deadlineAt: now + .seconds(100 * 365 * 86_400))
        return Download(id: id, request: request, state: .running, phase: .probing, times: times)
    }

    /// Takes over what is durable now.
    mutating func take(_ checkpoint: Checkpoint) {
        download.generation = checkpoint.generation
        download.source = checkpoint.source
        download.progress.totalBytes = checkpoint.totalBytes
        segments = checkpoint.segments
        download.progress.durableBytes = segments.reduce(0) { $0 + $1.durableEnd - $1.start }
    }

    /// Gives up the bytes, under a new generation.
    mutating func startOver(isChange: Bool) {
        download.generation += 1
        download.phase = .probing
        download.file = nil
        download.forgetBytes()
        if isChange { download.attempts.restarts += 1 }
        segments = []
    }

    /// Takes over that the finished file is about to be moved to its place.
    mutating func take(_ file: PublishedFile, _ checkpoint: Checkpoint) {
        take(checkpoint)
        download.progress.durableBytes = file.sizeBytes
        download.phase = .publishing
        download.file = file
    }
}
