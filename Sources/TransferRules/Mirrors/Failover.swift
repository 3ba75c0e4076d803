/// Chooses the next source after one has failed.
///
/// Each source is asked once, in order, to continue after the stored bytes. If none can, the file is restarted with the
/// first source that has another file. The attempt fails when every source has failed.
public struct Failover: Hashable, Sendable {
    /// What to ask the next source for.
    public enum NextSource: Hashable, Sendable {
        /// For what is missing; or for the file, where nothing is there yet.
        case resume(SourceID)
        /// The file from byte 0, replacing the stored bytes.
        case restart(SourceID)
    }

    private enum Status: Hashable {
        /// It answers, but with another file.
        case differs
        case failed
    }

    private var statuses: [SourceID: Status] = [:]
    private var failures: [TransferFailure] = []
    private var wait: HostWait?

    public init() {}

    /// Whether a source has not been asked yet.
    public func isUntried(_ id: SourceID) -> Bool { statuses[id] == nil }

    /// Records that a source has another file than the one begun. The second time it has failed.
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

    /// Leaves a source out that may not be asked.
    public mutating func exclude(_ id: SourceID) { statuses[id] = .failed }

    /// - Parameters:
    ///   - sources: All of them, in order.
    ///   - hasBytes: Whether bytes are stored.
    ///   - mayJoin: Whether bytes of another source could be added to them.
    /// - Returns: nil when the attempt is at its end.
    public func next(_ sources: [SourceID], hasBytes: Bool, mayJoin: Bool) -> NextSource? {
        if !hasBytes || mayJoin, let id = sources.first(where: { statuses[$0] == nil }) { return .resume(id) }
        return sources.first { statuses[$0] != .failed }.map { hasBytes ? .restart($0) : .resume($0) }
    }

    /// The failure of the whole attempt: the most retryable one, the earliest of these; nil if no source failed.
    public var failure: SourceFailure? {
        let best = failures.enumerated().min { lhs, rhs in
            (lhs.element.failureClass.rank, lhs.offset) < (rhs.element.failureClass.rank, rhs.offset)
        }
        guard let best = best?.element else { return wait.map { .deferred($0) } }
        guard wait != nil, best.failureClass.rank > 0 else { return .failed(best) }
        // A source that was only deferred may still have the file.
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
    /// The smaller, the more hope there is.
    fileprivate var rank: Int {
        switch self {
        case .transient(let limits): limits == .untilGivenUp ? 0 : limits.tries == nil ? 1 : 2
        case .space, .io: 3
        case .startOver: 4
        case .credentials: 5
        case .permanent: 6
        }
    }

    /// Whether another source may do better: the disk is the same for all.
    public var concernsSource: Bool {
        switch self {
        case .space, .io: false
        case .transient, .startOver, .credentials, .permanent: true
        }
    }
}
