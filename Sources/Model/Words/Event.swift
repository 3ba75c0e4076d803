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
    case sessionFinished = "session.finished"

    /// Whether it ends a run: each run of a download has exactly one such event.
    public var isTerminal: Bool {
        switch self {
        case .downloadCompleted, .downloadFailed, .downloadCancelled: true
        case .downloadCreated, .downloadStarted, .downloadPaused, .downloadResumed, .downloadRetrying,
            .downloadWaiting, .downloadRestarted, .downloadDeleted, .sessionFinished:
            false
        }
    }

    /// Whether a webhook that names no types receives it.
    public var isDefault: Bool { isTerminal || self == .sessionFinished }
}
