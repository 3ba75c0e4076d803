/// Something that happened, numbered in the order of the commits that made it so.
public struct Event: Hashable, Sendable {
    public let id: EventID
    /// Increases over the whole server; gaps mean nothing.
    public let sequence: Int64
    public let type: EventType
    public let at: Timestamp
    public let subject: Subject

    /// What it happened to, as it was right afterwards.
    public enum Subject: Hashable, Sendable {
        /// A download as the transition left it.
        ///
        /// `previousState` is nil for a download that was just created. `restart` is there with
        /// ``EventType/downloadRestarted`` alone.
        case download(Download, previousState: DownloadState?, restart: Restart?)
        /// A session whose last download ended.
        case session(SessionDrain)
        /// A webhook that was disabled, or is tried out.
        case webhook(WebhookNotice)

        /// The session that it is about, or that its download is of.
        public var session: SessionName? {
            switch self {
            case .download(let download, _, _): download.request.session
            case .session(let drain): drain.name
            case .webhook: nil
            }
        }

        /// The labels of its download or session, as canonical JSON; nil where it has none.
        public var labels: JSONText? {
            switch self {
            case .download(let download, _, _): download.request.labels
            case .session(let drain): drain.labels
            case .webhook: nil
            }
        }
    }

    /// What a restart from byte 0 threw away, and why.
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

/// What kind of thing happened.
public enum EventType: String, CaseIterable, Hashable, Sendable {
    case downloadCreated = "download.created"
    /// A worker claimed it.
    case downloadStarted = "download.started"
    case downloadPaused = "download.paused"
    /// The user let it go on.
    case downloadResumed = "download.resumed"
    /// It waits for its next attempt.
    case downloadRetrying = "download.retrying"
    /// It waits for space, a disk that works, or credentials.
    case downloadWaiting = "download.waiting"
    /// Its bytes were thrown away and it began anew.
    case downloadRestarted = "download.restarted"
    case downloadCompleted = "download.completed"
    case downloadFailed = "download.failed"
    case downloadCancelled = "download.cancelled"
    case downloadDeleted = "download.deleted"
    /// The finished file is gone, or another file is in its place.
    case downloadFileMissing = "download.file_missing"
    case sessionFinished = "session.finished"
    /// The service gave a webhook up: told to the others.
    case webhookDisabled = "webhook.disabled"
    /// A client tries a webhook out: told to that one alone.
    case webhookPing = "webhook.ping"

    /// Whether it ends a run: each run of a download has exactly one such event.
    public var isTerminal: Bool {
        switch self {
        case .downloadCompleted, .downloadFailed, .downloadCancelled: true
        case .downloadCreated, .downloadStarted, .downloadPaused, .downloadResumed, .downloadRetrying,
            .downloadWaiting, .downloadRestarted, .downloadDeleted, .downloadFileMissing, .sessionFinished,
            .webhookDisabled, .webhookPing:
            false
        }
    }

    /// Whether a webhook that names no types receives it.
    public var isDefault: Bool { isTerminal || self == .sessionFinished || self == .webhookDisabled }
}
