import Core
import Curl
import TransferRules

/// The objects that the parts of one attempt share. They do not change during the attempt.
///
/// A class saves memory: every task of every connection would store its own copy of a struct.
final class AttemptContext: Sendable {
    /// The place of the finished file.
    let files: any FinishedFiles
    let hosts: HostTable
    let limiter: RateLimiter
    let flushTimer: FlushTimer
    let time: TimeSource
    private let boxedDownload: Box<Download>
    let origin: OriginClient
    let sources: SourceTable
    let checkpointSink: any CheckpointSink
    let meter: ProgressMeter
    let rate: DownloadRate

    /// The parts of the engine.
    struct Parts {
        let files: any FinishedFiles
        let hosts: HostTable
        let limiter: RateLimiter
        let flushTimer: FlushTimer
        let time: TimeSource
    }

    init(
        _ parts: Parts,
        download: Box<Download>,
        origin: OriginClient,
        sources: SourceTable,
        checkpointSink: any CheckpointSink,
        meter: ProgressMeter,
        rate: DownloadRate
    ) {
        files = parts.files
        hosts = parts.hosts
        limiter = parts.limiter
        flushTimer = parts.flushTimer
        time = parts.time
        boxedDownload = download
        self.origin = origin
        self.sources = sources
        self.checkpointSink = checkpointSink
        self.meter = meter
        self.rate = rate
    }

    var download: Download { boxedDownload.value }

    /// The local folder of the download's part file.
    var partFolder: PartFolder { files.partFolder }

    var settings: EngineSettings { origin.settings }

    /// Applies the rate limits to the bytes of a response.
    func throttle(for exchange: Exchange, from authority: String) -> RateThrottle {
        limiter.throttle(for: rate, authority: authority) { [weak exchange] in exchange?.resume() }
    }
}
