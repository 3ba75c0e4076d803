/// A new value of one member of a download's request. Clearing a member sets its default.
public struct MemberChange: Hashable, Sendable {
    /// The API name in the refusal of a locked member: for `limits.max_bytes` it is `limits`.
    public let member: String
    public let lock: MemberLock
    private let sendablePath: any PartialKeyPath<DownloadRequest> & Sendable
    private let assign: @Sendable (inout DownloadRequest) -> Void

    public init<Value: Sendable>(
        _ path: any WritableKeyPath<DownloadRequest, Value> & Sendable,
        to value: Value,
        of member: String,
        lock: MemberLock
    ) {
        self.member = member
        self.lock = lock
        sendablePath = path
        assign = { $0[keyPath: path] = value }
    }

    var path: PartialKeyPath<DownloadRequest> { sendablePath }

    public func apply(to request: inout DownloadRequest) { assign(&request) }

    /// Compares the values by their effect.
    public static func == (left: Self, right: Self) -> Bool {
        left.path == right.path && left.lock == right.lock && left.comparableRequest == right.comparableRequest
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(path)
    }

    /// A request with nothing but the new value.
    var comparableRequest: DownloadRequest {
        var request = DownloadRequest(url: .blank)
        assign(&request)
        return request
    }
}
