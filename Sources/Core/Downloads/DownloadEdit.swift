/// The validated changes to a stored download, ready to apply. A nil member means no change. In a ``DownloadPatch``,
/// which is what the client sent, it is not validated yet.
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
    public var root: RootName?
    public var session: Change<SessionName>?
    public var directory: Change<RelativeDirectory>?
    public var filename: Change<FileName>?
    /// The result of an ``ExpectedPatch``.
    public var expected: Expected?
    /// Replaces all chosen webhooks.
    public var webhookIDs: [WebhookID]?
    /// The changes of all other members. A member occurs once.
    public var changes: [MemberChange] = []
    /// How long the finished file is kept. May be changed in every state.
    public var retention = RetentionChanges()
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

    /// The new value of a member among ``changes``; nil if it does not change.
    public subscript<Value>(path: KeyPath<DownloadRequest, Value>) -> Value? {
        changes.first { $0.path == path }?.comparableRequest[keyPath: path]
    }

    /// The API names of the members of this edit that cannot be changed in `state`.
    public func lockedMembers(in state: DownloadState) -> [String] {
        var locked: [String] = []
        for (member, lock) in changedMembers where lock.applies(in: state) && locked.last != member {
            locked.append(member)
        }
        return locked
    }

    private var changedMembers: [(name: String, lock: MemberLock)] {
        var members: [(name: String, lock: MemberLock)] = []
        if url != nil { members.append(("url", .inUse)) }
        if mirrors != nil { members.append(("mirrors", .inUse)) }
        members += credentialMembers.map { ($0, .inUse) }
        // Allowed while running, because the running attempt may need another URL.
        if refreshURL != nil { members.append(("refresh_url", .afterCompletion)) }
        members += placeMembers.map { ($0, .afterCompletion) }
        if expected != nil { members.append(("expected", .afterCompletion)) }
        // The session has counted the end of the download, and the webhooks have got its last event.
        if session != nil { members.append(("session", .afterRun)) }
        if webhookIDs != nil { members.append(("webhook_ids", .afterRun)) }
        return members + changes.map { ($0.member, $0.lock) }
    }

    /// The API names of the members of this edit that cannot be changed for a download. Its root is locked after the
    /// first claim (``Download/epoch``), because its bytes are below it.
    ///
    /// - Parameter state: The state that decides; nil for the download's own.
    public func lockedMembers(of download: Download, in state: DownloadState? = nil) -> [String] {
        let mayMove = download.epoch == 0 || root.map { $0 == download.request.root } ?? true
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
        if let root { request.root = root }
        if let session { request.session = session.value }
        if let directory { request.directory = directory.value }
        if let filename { request.filename = filename.value }
        if let expected { request.expected = expected }
        if let webhookIDs { request.webhookIDs = webhookIDs }
        for change in changes { change.apply(to: &request) }
        request.retention = retention.applied(to: request.retention)
        if let labels { request.labels = labels.value }
        if let metadata { request.metadata = metadata.value }
    }
}
