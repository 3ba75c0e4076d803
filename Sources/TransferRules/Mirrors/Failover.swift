/// Chooses the next source after a source has failed.
///
/// First, each source in order is tried once, to continue after the stored bytes. If none can, the download restarts
/// from the first source that has a different file. The attempt fails when every source has failed.
public struct Failover: Hashable, Sendable {
    /// Which bytes to request from the next source.
    public enum NextSource: Hashable, Sendable {
        /// The missing bytes, or the whole file if nothing is stored yet.
        case resume(SourceID)
        /// The file from byte 0, which replaces the stored bytes.
        case restart(SourceID)
    }

    private enum Status: Hashable {
        /// The source responds, but its file differs from the stored bytes.
        case differs
        case failed
    }

    private var statuses: [SourceID: Status] = [:]
    private var failures: [TransferFailure] = []
    private var wait: HostWait?

    public init() {}

    /// Whether no failure or difference of the source was recorded.
    public func isUntried(_ id: SourceID) -> Bool { statuses[id] == nil }

    /// Records that a source's file differs from the stored bytes. The second time, the source counts as failed.
    public mutating func recordDifference(of id: SourceID) {
        statuses[id] = statuses[id] == nil ? .differs : .failed
    }

    public mutating func record(_ failure: SourceFailure, of id: SourceID) {
        statuses[id] = .failed
        switch failure {
        case .failed(let failure): failures.append(failure)
        case .deferred(let wait): self.wait = self.wait ?? wait
        }
    }

    /// Excludes a source from this attempt.
    public mutating func exclude(_ id: SourceID) { statuses[id] = .failed }

    /// - Parameters:
    ///   - sources: All sources, in order of preference.
    ///   - hasBytes: Whether any bytes are stored.
    ///   - mayJoin: Whether bytes of another source may be combined with the stored ones.
    /// - Returns: nil if no source is left.
    public func next(_ sources: [SourceID], hasBytes: Bool, mayJoin: Bool) -> NextSource? {
        if !hasBytes || mayJoin, let id = sources.first(where: { statuses[$0] == nil }) { return .resume(id) }
        return sources.first { statuses[$0] != .failed }.map { hasBytes ? .restart($0) : .resume($0) }
    }

    /// The failure of the whole attempt: the most retryable one, and of equal ones the earliest; nil if no source
    /// failed.
    public var failure: SourceFailure? {
        let best = failures.enumerated().min { lhs, rhs in
            (lhs.element.failureClass.rank, lhs.offset) < (rhs.element.failureClass.rank, rhs.offset)
        }
        guard let best = best?.element else { return wait.map { .deferred($0) } }
        guard wait != nil, best.failureClass.rank > 0 else { return .failed(best) }
        // A deferred source was not tried and may still have the file, so the failure is transient.
        return .failed(
            TransferFailure(
                best.error,
                failureClass: .transient(.untilGivenUp),
                retryAfter: best.retryAfter,
                authority: best.authority
            )
        )
    }
}

extension FailureClass {
    /// A smaller rank means more retryable.
    fileprivate var rank: Int {
        switch self {
        case .transient(let limits): limits == .untilGivenUp ? 0 : limits.retries == nil ? 1 : 2
        case .space, .io: 3
        case .startOver: 4
        case .credentials: 5
        case .permanent: 6
        }
    }

    /// Whether another source may succeed. All sources share the same disk.
    public var concernsSource: Bool {
        switch self {
        case .space, .io: false
        case .transient, .startOver, .credentials, .permanent: true
        }
    }
}
