public import HTTPFields

/// A stored download: its request, its state, and what is known about its file.
public struct Download: Hashable, Sendable, Identifiable {
    public let id: DownloadID
    @usableFromInline var boxedRequest: Box<DownloadRequest>
    public var state: DownloadState
    /// Not nil if and only if the state is `running`.
    public var phase: DownloadPhase?
    /// Not nil if and only if the state is `waiting`.
    public var waitingFor: WaitingFor?
    /// Counts changes of state and configuration, not of progress. The `ETag` is derived from it.
    public var revision: Int64 = 1
    /// Counts the runs, from 1: each retry by the user begins a new one. Each run ends with exactly one terminal event.
    public var run = 1
    /// The fencing number of workers: each claim, cancellation and recovery increments it, and a write with an older
    /// number is refused.
    public var epoch: Int64 = 0
    /// The process of the last claim; nil before the first one.
    public var node: String?
    /// The number of the part file. A restart from byte 0 increments it, so that late writes of an old attempt go to
    /// another file.
    public var generation = 1
    public var attempts = Attempts()
    public var progress = Progress()
    @usableFromInline var boxedSource = Box(Source())
    @usableFromInline var boxedFile: Box<PublishedFile>?
    @usableFromInline var boxedKeptFile: Box<PublishedFile>?
    @usableFromInline var boxedError: Box<DownloadFailure>?
    public var times: Times

    public init(id: DownloadID, request: DownloadRequest, state: DownloadState, times: Times) {
        self.id = id
        boxedRequest = Box(request)
        self.state = state
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

    /// The file of an earlier, completed run. It stays in its place until this run publishes its own.
    @inlinable public var keptFile: PublishedFile? {
        get { boxedKeptFile?.value }
        set { boxedKeptFile = newValue.map(Box.init) }
    }

    @inlinable public var error: DownloadFailure? {
        get { boxedError?.value }
        set { boxedError = newValue.map(Box.init) }
    }

    /// The state machine in the download's present state.
    public var machine: DownloadStateMachine {
        DownloadStateMachine(state: state, phase: phase, waitingFor: waitingFor)
    }

    /// Sets the state from `machine`.
    public mutating func adopt(_ machine: DownloadStateMachine) {
        state = machine.state
        phase = machine.phase
        waitingFor = machine.waitingFor
    }
}

extension Download {
    /// Keeps the file of a completed run in its place for the next run, which then has no file of its own.
    public mutating func keepFile() {
        guard let file else { return }
        // A file that was there before is not the download's.
        if !file.isMissing, !file.isSkipped {
            var kept = file
            kept.placedAt = file.placedAt ?? times.finishedAt
            keptFile = kept
        }
        self.file = nil
    }

    /// Removes URLs whose secrets were forgotten when an earlier run completed.
    ///
    /// - Returns: The API names of the members that the next run needs again; empty if it needs none.
    public mutating func dropForgottenSecrets() -> [String] {
        var request = request
        request.mirrors.removeAll(where: SealedURL.isDropped)
        let callbackURLs = request.callbackURLs.filter { !SealedURL.isDropped($0) }
        request.callbackURL = callbackURLs.first
        request.joinedCallbackURLs = Array(callbackURLs.dropFirst())
        self.request = request
        var needed: [String] = []
        if SealedURL.isDropped(request.url) { needed.append("url") }
        if let url = request.refreshURL, SealedURL.isDropped(url) { needed.append("refresh_url") }
        if request.credentials == nil, request.summary != RequestSummary() { needed.append("request_headers") }
        return needed
    }

    /// Removes the secrets that only the transfer needed: credentials, and the secret parts of URLs. The URLs that a
    /// `dedupe_key` is compared with keep their fingerprints.
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
        public var count = 0
        /// Consecutive attempts without a new durable byte. The backoff depends on it.
        public var withoutProgress = 0
        /// Restarts from byte 0 in this run because the origin's file changed.
        public var restarts = 0
        /// Consecutive failures with the same code; 0 after a refused URL was replaced.
        public var sameFailures = 0
        /// Consecutive responses that seemed not to come from the origin.
        public var suspectResponses = 0
        /// Complete files in this run that were rejected, such as for a wrong digest.
        public var mismatches = 0
        /// Consecutive new URLs without a new durable byte.
        public var urlRefreshes = 0
        /// Consecutive crashes of the process while the download ran, without a new durable byte in between.
        public var crashes = 0
        /// Crashes of the process while the download ran, regardless of progress.
        public var crashesDespiteProgress = 0

        public init() {}
    }

    /// The durable progress.
    public struct Progress: Hashable, Sendable {
        /// The bytes that survive a power failure now.
        public var durableBytes: Int64
        /// The size of the file; nil until the origin states it.
        public var totalBytes: Int64?
        /// The durable bytes at the start of the current attempt.
        public var resumedFromBytes: Int64

        public init(durableBytes: Int64 = 0, totalBytes: Int64? = nil, resumedFromBytes: Int64 = 0) {
            self.durableBytes = durableBytes
            self.totalBytes = totalBytes
            self.resumedFromBytes = resumedFromBytes
        }
    }

    /// The origin's statements about the stored file.
    public struct Source: Hashable, Sendable {
        /// The URL after redirects, without user information.
        public var finalURL: DownloadURL?
        public var redirects = 0
        public var httpVersion: String?
        public var status: Int?
        /// The field value as received, including quotes and `W/`.
        public var etag: String?
        /// The field value as received.
        public var lastModified: String?
        /// Whether the date may serve as a strong validator (RFC 9110, section 8.8.2.2).
        public var isLastModifiedStrong = false
        public var contentType: String?
        public var contentEncoding: String?
        /// The file name that the origin proposes (`Content-Disposition`), sanitised.
        public var suggestedName: String?
        public var remoteAddress: String?
        /// The digests of the whole file that the origin states, one for each algorithm.
        public var digests: [Digest] = []
        /// The URL of the source that responded; nil if nothing is stored.
        public var url: DownloadURL?
        /// Further URLs of the file that the origin named in links (RFC 6249) or in a Metalink document (RFC 5854).
        public var mirrors: [DownloadURL] = []
        /// Whether `mirrors` come from a Metalink document, so that the request's own URLs do not refer to the file
        /// itself.
        public var isMetalink = false
        /// The description of the discarded file; nil once another response was accepted.
        public var previousFile: PreviousFile?

        public init() {}
    }

    /// Instants of the wall clock.
    public struct Times: Hashable, Sendable {
        /// When the client's request was committed.
        public var createdAt: Timestamp
        /// When state or configuration changed last.
        public var updatedAt: Timestamp
        /// When the download last became `queued`. Of two downloads, the one queued earlier is claimed first.
        public var queuedAt: Timestamp
        /// When the current run was first claimed.
        public var startedAt: Timestamp?
        /// Not nil if and only if the state is terminal.
        public var finishedAt: Timestamp?
        /// When a waiting download is due.
        public var nextAttemptAt: Timestamp?
        /// When the run fails if it has not ended.
        public var deadlineAt: Timestamp
        /// The start of the time without progress: when a byte last became durable, or the run began. Pauses, and waits
        /// that the origin did not cause, move it forward.
        public var progressedAt: Timestamp
        /// When the download was paused. It is used to exclude the pause.
        public var pausedAt: Timestamp?

        /// The times of a download created at `createdAt`.
        public init(createdAt: Timestamp, deadlineAt: Timestamp) {
            self.createdAt = createdAt
            updatedAt = createdAt
            queuedAt = createdAt
            progressedAt = createdAt
            self.deadlineAt = deadlineAt
        }
    }
}

/// Why a run failed, or why its last attempt failed if the run continues.
public struct DownloadFailure: Hashable, Sendable {
    public var error: DownloadError
    /// Whether the service tries again automatically.
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
