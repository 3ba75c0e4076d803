/// A download as it is stored: what was asked for, where it stands, and what is known of it.
public struct Download: Hashable, Sendable, Identifiable {
    public let id: DownloadID
    @usableFromInline var sharedRequest: Shared<DownloadRequest>
    public var state: DownloadState
    /// Set exactly while running.
    public var phase: DownloadPhase?
    /// Set exactly while waiting.
    public var waitingFor: WaitingFor?
    /// Counts changes of state and configuration, not progress. The basis of the `ETag`.
    public var revision: Int64
    /// Counts the user's retries, from 1; each run ends in exactly one terminal event.
    public var run: Int
    /// Fences workers: a claim raises it, and a write that names an older one is refused.
    public var epoch: Int64
    /// The process that claimed it last; nil before the first claim.
    public var owner: String?
    /// Names the part file: a restart from byte 0 takes a new one, so late bytes of an old attempt land elsewhere.
    public var generation: Int
    public var attempts: Attempts
    public var progress: Progress
    @usableFromInline var sharedSource: Shared<Source>
    @usableFromInline var sharedFile: Shared<PublishedFile>?
    @usableFromInline var sharedError: Shared<DownloadFailure>?
    public var times: Times

    public init(
        id: DownloadID,
        request: DownloadRequest,
        state: DownloadState,
        phase: DownloadPhase? = nil,
        waitingFor: WaitingFor? = nil,
        revision: Int64 = 1,
        run: Int = 1,
        epoch: Int64 = 0,
        owner: String? = nil,
        generation: Int = 1,
        attempts: Attempts = Attempts(),
        progress: Progress = Progress(),
        source: Source = Source(),
        file: PublishedFile? = nil,
        error: DownloadFailure? = nil,
        times: Times
    ) {
        self.id = id
        sharedRequest = Shared(request)
        self.state = state
        self.phase = phase
        self.waitingFor = waitingFor
        self.revision = revision
        self.run = run
        self.epoch = epoch
        self.owner = owner
        self.generation = generation
        self.attempts = attempts
        self.progress = progress
        sharedSource = Shared(source)
        sharedFile = file.map(Shared.init)
        sharedError = error.map(Shared.init)
        self.times = times
    }

    @inlinable public var request: DownloadRequest {
        get { sharedRequest.value }
        _modify { yield &sharedRequest.value }
    }

    @inlinable public var source: Source {
        get { sharedSource.value }
        _modify { yield &sharedSource.value }
    }

    @inlinable public var file: PublishedFile? {
        get { sharedFile?.value }
        set { sharedFile = newValue.map(Shared.init) }
    }

    @inlinable public var error: DownloadFailure? {
        get { sharedError?.value }
        set { sharedError = newValue.map(Shared.init) }
    }

    /// The state with its phase and reason, ready for an event.
    public var machine: DownloadStateMachine {
        DownloadStateMachine(state: state, phase: phase, waitingFor: waitingFor)
    }

    /// Stands where `machine` stands.
    public mutating func adopt(_ machine: DownloadStateMachine) {
        state = machine.state
        phase = machine.phase
        waitingFor = machine.waitingFor
    }
}

extension Download {
    /// Drops what was needed only to ask for the file: credentials, and the secret parts of URLs. Those that a
    /// `dedupe_key` compares keep their fingerprints.
    public mutating func forgetSecrets() {
        var request = request
        request.credentials = nil
        request.url = request.url.fingerprint
        request.mirrors = request.mirrors.map(SealedURL.withoutSecret)
        request.refreshURL = request.refreshURL.map(SealedURL.fingerprint)
        self.request = request
        var source = source
        source.finalURL = source.finalURL.map(SealedURL.withoutSecret)
        source.url = source.url.map(SealedURL.withoutSecret)
        source.mirrors = source.mirrors.map(SealedURL.withoutSecret)
        self.source = source
    }
}

extension Download {
    /// How often the current run was tried.
    public struct Attempts: Hashable, Sendable {
        public var count: Int
        /// Those in a row that brought no durable byte; what the back-off grows with.
        public var withoutProgress: Int
        /// Restarts from byte 0 in this run because the origin's file had changed.
        public var restarts: Int
        /// Failures in a row with the code of the last one; 0 where the last one was a link that another one replaced.
        public var sameFailures: Int
        /// Answers in a row that seemed to come from something other than the origin.
        public var suspectAnswers: Int
        /// Whole files of this run that were not what a digest says.
        public var mismatches: Int
        /// New links in a row that brought no durable byte.
        public var newLinks: Int
        /// Ends of the process in a row that were no orderly stop and came while it ran, without a byte made durable
        /// between them.
        public var crashes: Int
        /// The same, whatever was made durable between them.
        public var crashesDespiteProgress: Int

        public init(
            count: Int = 0,
            withoutProgress: Int = 0,
            restarts: Int = 0,
            sameFailures: Int = 0,
            suspectAnswers: Int = 0,
            mismatches: Int = 0,
            newLinks: Int = 0,
            crashes: Int = 0,
            crashesDespiteProgress: Int = 0
        ) {
            self.count = count
            self.withoutProgress = withoutProgress
            self.restarts = restarts
            self.sameFailures = sameFailures
            self.suspectAnswers = suspectAnswers
            self.mismatches = mismatches
            self.newLinks = newLinks
            self.crashes = crashes
            self.crashesDespiteProgress = crashesDespiteProgress
        }
    }

    /// What is on the disk for certain.
    public struct Progress: Hashable, Sendable {
        /// Bytes that would survive the loss of power now.
        public var durableBytes: Int64
        /// The size of the whole, or nil while the origin has not said it.
        public var totalBytes: Int64?
        /// What the current attempt began with.
        public var resumedFromBytes: Int64

        public init(durableBytes: Int64 = 0, totalBytes: Int64? = nil, resumedFromBytes: Int64 = 0) {
            self.durableBytes = durableBytes
            self.totalBytes = totalBytes
            self.resumedFromBytes = resumedFromBytes
        }
    }

    /// What the origin said of the representation whose bytes are stored.
    public struct Source: Hashable, Sendable {
        /// Where redirects led to, without user information.
        public var finalURL: String?
        public var redirects: Int
        public var httpVersion: String?
        public var status: Int?
        /// The field as received, quotes and `W/` included.
        public var etag: String?
        /// The field as received.
        public var lastModified: String?
        /// Whether the date may serve as a strong validator (RFC 9110, section 8.8.2.2).
        public var isLastModifiedStrong: Bool
        public var contentType: String?
        public var contentEncoding: String?
        /// What the origin proposes as a name (`Content-Disposition`), sanitised.
        public var suggestedName: String?
        public var remoteAddress: String?
        /// Those of the whole file that the origin states, each of another algorithm.
        public var digests: [Digest]
        /// The source that the answer came from, as ``SourceURL/text``; nil where nothing is stored.
        public var url: String?
        /// Further URLs of the file that the origin named, by links (RFC 6249) or a Metalink document (RFC 5854).
        public var mirrors: [String]
        /// Whether those stand in a Metalink document, so that the request's own URLs are none of the file.
        public var isMetalink: Bool
        /// What the file was whose bytes are gone; nil once an answer was accepted again.
        public var former: FormerFile?

        public init(
            finalURL: String? = nil,
            redirects: Int = 0,
            httpVersion: String? = nil,
            status: Int? = nil,
            etag: String? = nil,
            lastModified: String? = nil,
            isLastModifiedStrong: Bool = false,
            contentType: String? = nil,
            contentEncoding: String? = nil,
            suggestedName: String? = nil,
            remoteAddress: String? = nil,
            digests: [Digest] = [],
            url: String? = nil,
            mirrors: [String] = [],
            isMetalink: Bool = false
        ) {
            self.finalURL = finalURL
            self.redirects = redirects
            self.httpVersion = httpVersion
            self.status = status
            self.etag = etag
            self.lastModified = lastModified
            self.isLastModifiedStrong = isLastModifiedStrong
            self.contentType = contentType
            self.contentEncoding = contentEncoding
            self.suggestedName = suggestedName
            self.remoteAddress = remoteAddress
            self.digests = digests
            self.url = url
            self.mirrors = mirrors
            self.isMetalink = isMetalink
        }
    }

    /// When things happened to it, and when others will, by the wall clock.
    public struct Times: Hashable, Sendable {
        /// When the client's request was committed.
        public var createdAt: Timestamp
        /// When state or configuration last changed.
        public var updatedAt: Timestamp
        /// When it last became `queued`; the older one is claimed first.
        public var queuedAt: Timestamp
        /// When the current run was first claimed.
        public var startedAt: Timestamp?
        /// Set exactly in a terminal state.
        public var finishedAt: Timestamp?
        /// When a waiting download is due again.
        public var nextAttemptAt: Timestamp?
        /// When a run that is not done by then fails.
        public var deadlineAt: Timestamp
        /// When a byte last became durable, or the run began; pauses are not counted.
        public var progressedAt: Timestamp
        /// When it was paused, so that the pause can be left out of the count.
        public var pausedAt: Timestamp?

        /// The times of a download that is created, queued and counted from `createdAt` on.
        public init(createdAt: Timestamp, deadlineAt: Timestamp) {
            self.createdAt = createdAt
            updatedAt = createdAt
            queuedAt = createdAt
            progressedAt = createdAt
            self.deadlineAt = deadlineAt
        }
    }
}

/// Why a run failed, or why the last attempt of one that goes on did.
public struct DownloadFailure: Hashable, Sendable {
    public var error: DownloadError
    /// Whether the service tries again by itself.
    public var isRetried: Bool
    public var attempt: Int
    public var at: Timestamp

    public init(error: DownloadError, isRetried: Bool, attempt: Int, at: Timestamp) {
        self.error = error
        self.isRetried = isRetried
        self.attempt = attempt
        self.at = at
    }
}
