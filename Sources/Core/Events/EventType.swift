/// The type of an event.
public enum EventType: String, CaseIterable, Hashable, Sendable {
    case downloadCreated = "download.created"
    /// A worker claimed the download.
    case downloadStarted = "download.started"
    case downloadPaused = "download.paused"
    /// The user resumed the download.
    case downloadResumed = "download.resumed"
    /// The download waits for its next attempt.
    case downloadRetrying = "download.retrying"
    /// The download waits for space, for the disk, or for credentials; or it is queued, and all downloads are paused.
    case downloadWaiting = "download.waiting"
    /// The bytes were discarded, and the download restarted from byte 0.
    case downloadRestarted = "download.restarted"
    case downloadCompleted = "download.completed"
    case downloadFailed = "download.failed"
    case downloadCancelled = "download.cancelled"
    case downloadDeleted = "download.deleted"
    /// The finished file is missing, or another file has its path.
    case downloadFileMissing = "download.file_missing"
    /// The time of the finished file was over, and the file was removed.
    case fileExpired = "file.expired"
    case sessionFinished = "session.finished"
    /// An action on many downloads has ended.
    case operationFinished = "operation.finished"
    /// The service disabled a webhook. Sent to the other webhooks.
    case webhookDisabled = "webhook.disabled"
    /// A client tests a webhook. Sent only to that webhook.
    case webhookPing = "webhook.ping"

    /// Whether the event ends a run. Each run of a download has exactly one such event.
    public var isTerminal: Bool {
        switch self {
        case .downloadCompleted, .downloadFailed, .downloadCancelled: true
        case .downloadCreated, .downloadStarted, .downloadPaused, .downloadResumed, .downloadRetrying,
            .downloadWaiting, .downloadRestarted, .downloadDeleted, .downloadFileMissing, .fileExpired,
            .sessionFinished,
            .operationFinished, .webhookDisabled, .webhookPing:
            false
        }
    }

    /// Whether the download is terminal or deleted after the event.
    public var leavesDownloadEnded: Bool {
        isTerminal || [.downloadDeleted, .downloadFileMissing, .fileExpired].contains(self)
    }

    /// Whether a webhook without a type filter receives it.
    public var isDefault: Bool { isTerminal || self == .sessionFinished || self == .webhookDisabled }
}
