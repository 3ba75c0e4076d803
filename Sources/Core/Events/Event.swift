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
