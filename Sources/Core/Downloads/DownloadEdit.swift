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
    public var deadline: Timestamp?
    public var maxBytes: Change<Int64>?
    public var rateBytesPerSecond: Change<Int64>?
    public var connections: Change<Int>?
    public var maxAttempts: Change<Int>?
    public var priority: Priority?
    public var notBefore: Change<Timestamp>?
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
        if locksRun && deadline != nil { locked.append("deadline_at") }
        if locksRun && (maxBytes != nil || rateBytesPerSecond != nil || connections != nil) { locked.append("limits") }
        if locksRun && maxAttempts != nil { locked.append("max_attempts") }
        if locksRun && priority != nil { locked.append("priority") }
        // `not_before_at` has no effect on a download that has started.
        if (locksRun || state == .running) && notBefore != nil { locked.append("not_before_at") }
        return locked
    }

    /// Applies the changes to `request`.
    public func apply(to request: inout DownloadRequest) {
        if let url { request.url = url }
        if let mirrors { request.mirrors = mirrors }
        if let refreshURL { request.refreshURL = refreshURL.value }
        if let credentials { request.credentials = credentials.value }
        if let summary { request.summary = summary }
        if let deadline { request.deadline = .at(deadline) }
        if let maxBytes { request.maxBytes = maxBytes.value }
        if let rateBytesPerSecond { request.rateBytesPerSecond = rateBytesPerSecond.value }
        if let connections { request.connections = connections.value }
        if let maxAttempts { request.maxAttempts = maxAttempts.value }
        if let priority { request.priority = priority }
        if let notBefore { request.notBefore = notBefore.value }
        if let description { request.description = description.value }
        if let labels { request.labels = labels.value }
        if let metadata { request.metadata = metadata.value }
    }
}
