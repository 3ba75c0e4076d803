public import HTTPFields

/// A download as it is stored: its request, its state, and what is known of its file.
public struct Download: Hashable, Sendable, Identifiable {
    public let id: DownloadID
    @usableFromInline var boxedRequest: Box<DownloadRequest>
    public var state: DownloadState
    /// Set exactly while running.
    public var phase: DownloadPhase?
    /// Set exactly while waiting.
    public var waitingFor: WaitingFor?
    /// Counts changes of state and configuration, not progress. The basis of the `ETag`.
    public var revision: Int64
    /// Counts the user's retries, from 1; each run ends in exactly one terminal event.
    public var run: Int
    /// Fences workers: each claim raises it, and a write with an older one is refused.
    public var epoch: Int64
    /// The process that claimed it last; nil before the first claim.
    public var owner: String?
    /// The number of the part file: a restart from byte 0 takes a new one, so that late bytes of an old attempt go to
    /// another file.
    public var generation: Int
    public var attempts: Attempts
    public var progress: Progress
    @usableFromInline var boxedSource: Box<Source>
    @usableFromInline var boxedFile: Box<PublishedFile>?
    @usableFromInline var boxedError: Box<DownloadFailure>?
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
        boxedRequest = Box(request)
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
        boxedSource = Box(source)
        boxedFile = file.map(Box.init)
        boxedError = error.map(Box.init)
        self.times = times
    }

    @inlinable public var request: DownloadRequest {
        get { boxedRequest.value }
        _modify { yield &boxedRequest.value }
    }

    @inlinable public var source: Source {
        get { boxedSource.value }
        _modify { yield &boxedSource.value }
    }

    @inlinable public var file: PublishedFile? {
        get { boxedFile?.value }
        set { boxedFile = newValue.map(Box.init) }
    }

    @inlinable public var error: DownloadFailure? {
        get { boxedError?.value }
        set { boxedError = newValue.map(Box.init) }
    }

    /// The state with its phase and reason, ready for an event.
    public var machine: DownloadStateMachine {
        DownloadStateMachine(state: state, phase: phase, waitingFor: waitingFor)
    }

    /// Takes the state of `machine`.
    public mutating func adopt(_ machine: DownloadStateMachine) {
        state = machine.state
        phase = machine.phase
        waitingFor = machine.waitingFor
    }
}

extension Download {
    /// Drops what only the transfer needed: credentials, and the secret parts of URLs. URLs that a `dedupe_key`
    /// compares keep their fingerprints.
    public mutating func forgetSecrets() {
        var request = request
        request.credentials = nil
        request.url = request.url.fingerprint
        request.mirrors = request.mirrors.map(\.withoutSecret)
        request.refreshURL = request.refreshURL.map(\.fingerprint)
        self.request = request
        var source = source
        source.finalURL = source.finalURL.map(\.withoutSecret)
        source.url = source.url.map(\.withoutSecret)
        source.mirrors = source.mirrors.map(\.withoutSecret)
        self.source = source
    }
}

extension Download {
    /// The attempts of the current run.
    public struct Attempts: Hashable, Sendable {
        public var count: Int
        /// Attempts in a row without a durable byte; the back-off grows with them.
        public var withoutProgress: Int
        /// Restarts from byte 0 in this run because the origin's file had changed.
        public var restarts: Int
        /// Failures in a row with the code of the last one; 0 after a refused URL that was replaced.
        public var sameFailures: Int
        /// Responses in a row that seemed not to come from the origin.
        public var suspectResponses: Int
        /// Whole files of this run with a wrong digest.
        public var mismatches: Int
        /// New URLs in a row without a durable byte.
        public var urlRefreshes: Int
        /// Crashes of the process in a row during which it ran, without a durable byte in between.
        public var crashes: Int
        /// The same, whatever was made durable between them.
        public var crashesDespiteProgress: Int

        public init(
            count: Int = 0,
            withoutProgress: Int = 0,
            restarts: Int = 0,
            sameFailures: Int = 0,
            suspectResponses: Int = 0,
            mismatches: Int = 0,
            urlRefreshes: Int = 0,
            crashes: Int = 0,
            crashesDespiteProgress: Int = 0
        ) {
            self.count = count
            self.withoutProgress = withoutProgress
            self.restarts = restarts
            self.sameFailures = sameFailures
            self.suspectResponses = suspectResponses
            self.mismatches = mismatches
            self.urlRefreshes = urlRefreshes
            self.crashes = crashes
            self.crashesDespiteProgress = crashesDespiteProgress
        }
    }

    /// What is durable on the disk.
    public struct Progress: Hashable, Sendable {
        /// Bytes that survive a power cut now.
        public var durableBytes: Int64
        /// The size of the file; nil while the origin has not stated it.
        public var totalBytes: Int64?
        /// The bytes that the current attempt began with.
        public var resumedFromBytes: Int64

        public init(durableBytes: Int64 = 0, totalBytes: Int64? = nil, resumedFromBytes: Int64 = 0) {
            self.durableBytes = durableBytes
            self.totalBytes = totalBytes
            self.resumedFromBytes = resumedFromBytes
        }
    }

    /// What the origin stated about the stored representation.
    public struct Source: Hashable, Sendable {
        /// The URL after redirects, without user information.
        public var finalURL: DownloadURL?
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
        /// The file name that the origin proposes (`Content-Disposition`), sanitised.
        public var suggestedName: String?
        public var remoteAddress: String?
        /// Digests of the whole file that the origin states, one per algorithm.
        public var digests: [Digest]
        /// The source of the response; nil if nothing is stored.
        public var url: DownloadURL?
        /// Further URLs of the file that the origin named, by links (RFC 6249) or a Metalink document (RFC 5854).
        public var mirrors: [DownloadURL]
        /// Whether those are from a Metalink document, so that the request's own URLs are not the file's.
        public var isMetalink: Bool
        /// The previous file, whose bytes are gone; nil once a response was accepted again.
        public var previousFile: PreviousFile?

        public init(
            finalURL: DownloadURL? = nil,
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
            url: DownloadURL? = nil,
            mirrors: [DownloadURL] = [],
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

    /// Its past and future instants, by the wall clock.
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
        /// When an unfinished run fails.
        public var deadlineAt: Timestamp
        /// When a byte last became durable, or the run began; without pauses.
        public var progressedAt: Timestamp
        /// When it was paused, so that the pause is not counted.
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

/// Why a run failed, or why its last attempt failed while the run continues.
public struct DownloadFailure: Hashable, Sendable {
    public var error: DownloadError
    /// Whether the service retries by itself.
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
