/// An event, numbered in the order of commits.
public struct Event: Hashable, Sendable {
    public let id: EventID
    /// Increases over the whole server; gaps mean nothing.
    public let sequence: Int64
    public let type: EventType
    public let at: Timestamp
    public let subject: Subject

    /// The subject, as it was right after the event.
    public enum Subject: Hashable, Sendable {
        /// A download as the transition left it.
        ///
        /// `previousState` is nil for a new download. `restart` is there only with ``EventType/downloadRestarted``.
        case download(Download, previousState: DownloadState?, restart: Restart?)
        /// A session whose last download ended.
        case session(SessionDrain)
        /// A webhook that was disabled or is tested.
        case webhook(WebhookNotice)
        /// An action on many downloads that has ended.
        case operation(BulkOperation)

        /// The session of the event, or of its download.
        public var session: SessionName? {
            switch self {
            case .download(let download, _, _): download.request.session
            case .session(let drain): drain.name
            case .webhook, .operation: nil
            }
        }

        /// The labels of its download or session, as canonical JSON; nil if there are none.
        public var labels: JSONText? {
            switch self {
            case .download(let download, _, _): download.request.labels
            case .session(let drain): drain.labels
            case .webhook, .operation: nil
            }
        }
    }

    /// The bytes that a restart from byte 0 discarded, and the reason.
    public struct Restart: Hashable, Sendable {
        /// The word of a ``RestartReason``, or the code of the error that led to it.
        public let reason: String
        public let discardedBytes: Int64

        public init(reason: String, discardedBytes: Int64) {
            self.reason = reason
            self.discardedBytes = discardedBytes
        }
    }

    public init(id: EventID, sequence: Int64, type: EventType, at: Timestamp, subject: Subject) {
        self.id = id
        self.sequence = sequence
        self.type = type
        self.at = at
        self.subject = subject
    }
}

/// The type of an event.
public enum EventType: String, CaseIterable, Hashable, Sendable {
    case downloadCreated = "download.created"
    /// A worker claimed it.
    case downloadStarted = "download.started"
    case downloadPaused = "download.paused"
    /// The user resumed it.
    case downloadResumed = "download.resumed"
    /// It waits for its next attempt.
    case downloadRetrying = "download.retrying"
    /// It waits for space, a disk that works, or credentials.
    case downloadWaiting = "download.waiting"
    /// It restarted from byte 0 and its bytes were discarded.
    case downloadRestarted = "download.restarted"
    case downloadCompleted = "download.completed"
    case downloadFailed = "download.failed"
    case downloadCancelled = "download.cancelled"
    case downloadDeleted = "download.deleted"
    /// The finished file is gone, or another file is in its place.
    case downloadFileMissing = "download.file_missing"
    case sessionFinished = "session.finished"
    /// An action on many downloads has ended.
    case operationFinished = "operation.finished"
    /// The service disabled a webhook: sent to the others.
    case webhookDisabled = "webhook.disabled"
    /// A client tests a webhook: sent only to that one.
    case webhookPing = "webhook.ping"

    /// Whether it ends a run: each run of a download has exactly one such event.
    public var isTerminal: Bool {
        switch self {
        case .downloadCompleted, .downloadFailed, .downloadCancelled: true
        case .downloadCreated, .downloadStarted, .downloadPaused, .downloadResumed, .downloadRetrying,
            .downloadWaiting, .downloadRestarted, .downloadDeleted, .downloadFileMissing, .sessionFinished,
            .operationFinished, .webhookDisabled, .webhookPing:
            false
        }
    }

    /// Whether a webhook that names no types receives it.
    public var isDefault: Bool { isTerminal || self == .sessionFinished || self == .webhookDisabled }
}

/// An event of the log, with the bytes that are sent.
public struct LoggedEvent: Hashable, Sendable {
    public let sequence: Int64
    public let id: EventID
    public let type: EventType
    public let at: Timestamp
    /// nil for the event of a session.
    public let download: DownloadID?
    public let session: SessionName?
    /// The body, encoded in the transaction of the event, and sent to webhooks as it is.
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
