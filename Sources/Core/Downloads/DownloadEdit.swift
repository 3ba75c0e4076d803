/// A client's changes to a download. A nil member means no change.
public struct DownloadEdit: Hashable, Sendable {
    /// Another URL of the same file. The stored bytes stay if the validator is equal.
    public var url: DownloadURL?
    /// Replaces all mirrors.
    public var mirrors: [DownloadURL]?
    public var refreshURL: Change<DownloadURL>?
    public var credentials: Change<SealedCredentials>?
    public var summary: RequestSummary?
    /// The API names of the changed credential members.
    public var credentialMembers: [String] = []
    public var root: Change<RootName>?
    public var session: Change<SessionName>?
    public var directory: Change<RelativeDirectory>?
    public var filename: Change<FileName>?
    /// The result of an ``ExpectedPatch``.
    public var expected: Expected?
    /// Replaces all chosen webhooks.
    public var webhookIDs: [WebhookID]?
    public var deadline: Timestamp?
    public var maxBytes: Change<Int64>?
    public var rateBytesPerSecond: Change<Int64>?
    public var connections: Change<Int>?
    public var maxAttempts: Change<Int>?
    public var timeouts = TimeoutChanges()
    public var retry = RetryChanges()
    public var priority: Priority?
    public var acceptsHTML: Bool?
    public var notBefore: Change<Timestamp>?
    /// How long the finished file is kept. May be changed in every state.
    public var retention = RetentionChanges()
    public var description: Change<String>?
    public var labels: Change<JSONText>?
    public var metadata: Change<JSONText>?

    /// A new value, or the removal of the old one.
    public enum Change<Value: Hashable & Sendable>: Hashable, Sendable {
        case set(Value)
        case clear

        public var value: Value? {
            switch self {
            case .set(let value): value
            case .clear: nil
            }
        }
    }

    public init() {}

    public var isEmpty: Bool { self == Self() }

    /// The API names of the members of this edit that cannot be changed in `state`.
    public func lockedMembers(in state: DownloadState) -> [String] {
        var locked: [String] = []
        let locksSource: Bool
        let locksRun: Bool
        switch state {
        case .queued, .waiting, .paused: (locksSource, locksRun) = (false, false)
        case .running: (locksSource, locksRun) = (true, false)
        case .failed, .cancelled: (locksSource, locksRun) = (false, true)
        case .completed: (locksSource, locksRun) = (true, true)
        }
        if locksSource && url != nil { locked.append("url") }
        if locksSource && mirrors != nil { locked.append("mirrors") }
        if locksSource { locked += credentialMembers }
        // Allowed while running, because the running attempt may need another URL.
        if state == .completed && refreshURL != nil { locked.append("refresh_url") }
        if state == .completed { locked += placeMembers }
        if state == .completed && expected != nil { locked.append("expected") }
        // The session has counted the end of the download, and the webhooks have got its last event.
        if locksRun && session != nil { locked.append("session") }
        if locksRun && webhookIDs != nil { locked.append("webhook_ids") }
        if locksSource && acceptsHTML != nil { locked.append("accept_html") }
        if locksRun && deadline != nil { locked.append("deadline_at") }
        if locksRun && (maxBytes != nil || rateBytesPerSecond != nil || connections != nil) { locked.append("limits") }
        if locksRun && maxAttempts != nil { locked.append("max_attempts") }
        if locksRun && timeouts != TimeoutChanges() { locked.append("timeouts") }
        if locksRun && retry != RetryChanges() { locked.append("retry") }
        if locksRun && priority != nil { locked.append("priority") }
        // `not_before_at` has no effect on a download that has started.
        if (locksRun || state == .running) && notBefore != nil { locked.append("not_before_at") }
        return locked
    }

    /// The API names of the members of this edit that cannot be changed for a download. Its bytes stay below the root
    /// of its first attempt.
    ///
    /// - Parameter state: The state that decides; nil for the download's own.
    public func lockedMembers(of download: Download, in state: DownloadState? = nil) -> [String] {
        let mayMove = download.epoch == 0 || root.map { ($0.value ?? .downloads) == download.request.root } ?? true
        return lockedMembers(in: state ?? download.state) + (mayMove ? [] : ["root"])
    }

    /// The API names of the changed members that say where the file goes.
    public var placeMembers: [String] {
        var members: [String] = []
        if directory != nil { members.append("directory") }
        if filename != nil { members.append("filename") }
        return members
    }

    /// Applies the changes to `request`.
    public func apply(to request: inout DownloadRequest) {
        if let url { request.url = url }
        if let mirrors { request.mirrors = mirrors }
        if let refreshURL { request.refreshURL = refreshURL.value }
        if let credentials { request.credentials = credentials.value }
        if let summary { request.summary = summary }
        if let root { request.root = root.value ?? .downloads }
        if let session { request.session = session.value }
        if let directory { request.directory = directory.value }
        if let filename { request.filename = filename.value }
        if let expected { request.expected = expected }
        if let webhookIDs { request.webhookIDs = webhookIDs }
        if let deadline { request.deadline = .at(deadline) }
        if let maxBytes { request.maxBytes = maxBytes.value }
        if let rateBytesPerSecond { request.rateBytesPerSecond = rateBytesPerSecond.value }
        if let connections { request.connections = connections.value }
        if let maxAttempts { request.maxAttempts = maxAttempts.value }
        timeouts.apply(to: &request.retry)
        retry.apply(to: &request.retry)
        if let priority { request.priority = priority }
        if let acceptsHTML { request.acceptsHTML = acceptsHTML }
        if let notBefore { request.notBefore = notBefore.value }
        request.retention = retention.applied(to: request.retention)
        if let description { request.description = description.value }
        if let labels { request.labels = labels.value }
        if let metadata { request.metadata = metadata.value }
    }
}
