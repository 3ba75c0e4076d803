/// An event. Events are numbered in the order of their transactions.
public struct Event: Hashable, Sendable {
    public let id: EventID
    /// Increases across the whole service. Gaps have no meaning.
    public let sequence: Int64
    public let type: EventType
    public let at: Timestamp
    public let subject: Subject
    /// What keeps the queued download from a slot; nil if nothing does.
    public let deferral: QueueDeferral?

    /// The subject of an event, in its state immediately after the event.
    public enum Subject: Hashable, Sendable {
        /// A download in its state after the transition.
        ///
        /// `previousState` is nil for a new download. `restart` is not nil only for ``EventType/downloadRestarted``.
        case download(Download, previousState: DownloadState?, restart: Restart?)
        /// A session whose last open download has ended.
        case session(FinishedSession)
        /// A webhook that was disabled or is being tested.
        case webhook(WebhookNotice)
        /// An action on many downloads that has ended.
        case operation(BulkOperation)

        /// The session of the event, or of its download.
        public var session: SessionName? {
            switch self {
            case .download(let download, _, _): download.request.session
            case .session(let finished): finished.name
            case .webhook, .operation: nil
            }
        }

        /// The labels of the download or session, as canonical JSON; nil if there are none.
        public var labels: JSONText? {
            switch self {
            case .download(let download, _, _): download.request.labels
            case .session(let finished): finished.labels
            case .webhook, .operation: nil
            }
        }
    }

    /// The bytes that a restart from byte 0 discarded, and the reason.
    public struct Restart: Hashable, Sendable {
        /// The raw value of a ``RestartReason``, or the code of the error that caused the restart.
        public let reason: String
        public let discardedBytes: Int64

        public init(reason: String, discardedBytes: Int64) {
            self.reason = reason
            self.discardedBytes = discardedBytes
        }
    }

    public init(
        id: EventID,
        sequence: Int64,
        type: EventType,
        at: Timestamp,
        subject: Subject,
        deferral: QueueDeferral? = nil
    ) {
        self.id = id
        self.sequence = sequence
        self.type = type
        self.at = at
        self.subject = subject
        self.deferral = deferral
    }
}

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

/// A logged event with its encoded body.
public struct LoggedEvent: Hashable, Sendable {
    public let sequence: Int64
    public let id: EventID
    public let type: EventType
    public let at: Timestamp
    /// nil if the event is not about a download.
    public let download: DownloadID?
    public let session: SessionName?
    /// The body as sent to webhooks. It is encoded in the transaction of the event.
    public let body: [UInt8]

    public init(
        sequence: Int64,
        id: EventID,
        type: EventType,
        at: Timestamp,
        download: DownloadID?,
        session: SessionName?,
        body: [UInt8]
    ) {
        self.sequence = sequence
        self.id = id
        self.type = type
        self.at = at
        self.download = download
        self.session = session
        self.body = body
    }
}
