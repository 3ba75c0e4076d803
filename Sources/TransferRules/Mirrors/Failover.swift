/// Which source an attempt goes on with when the one that it asked has failed.
///
/// Each source is asked once to go on where the bytes end, in the order they were named. Only when none of them can is
/// the file begun anew, with the first that answers with another one. The attempt fails when every source has failed.
public struct Failover: Hashable, Sendable {
    /// How the next source is to be asked.
    public enum Turn: Hashable, Sendable {
        /// For what is missing; or for the file, where nothing is there yet.
        case goOn(SourceID)
        /// For the file from its start, in place of the bytes at hand.
        case beginAnew(SourceID)
    }

    private enum Mark: Hashable {
        /// It answers, but with another file.
        case differs
        case failed
    }

    private var marks: [SourceID: Mark] = [:]
    private var failures: [TransferFailure] = []
    private var wait: HostWait?

    public init() {}

    /// Whether a source has not been asked yet.
    public func isUntried(_ id: SourceID) -> Bool { marks[id] == nil }

    /// Notes that a source's file is another than the one begun. One that is said so of twice has failed.
    public mutating func recordDifference(of id: SourceID) {
        marks[id] = marks[id] == nil ? .differs : .failed
    }

    public mutating func record(_ failure: TransferFailure, of id: SourceID) {
        marks[id] = .failed
        failures.append(failure)
    }

    /// Notes that the source's host is not to be asked now.
    public mutating func record(_ wait: HostWait, of id: SourceID) {
        marks[id] = .failed
        self.wait = self.wait ?? wait
    }

    /// Leaves a source out that may not be asked.
    public mutating func exclude(_ id: SourceID) { marks[id] = .failed }

    /// - Parameters:
    ///   - sources: All of them, in order.
    ///   - hasBytes: Whether bytes are at hand.
    ///   - mayJoin: Whether bytes of another source could be added to them.
    /// - Returns: nil when the attempt is at its end.
    public func next(_ sources: [SourceID], hasBytes: Bool, mayJoin: Bool) -> Turn? {
        if !hasBytes || mayJoin, let id = sources.first(where: { marks[$0] == nil }) { return .goOn(id) }
        return sources.first { marks[$0] != .failed }.map { hasBytes ? .beginAnew($0) : .goOn($0) }
    }

    /// What the attempt as a whole ended with: the failure that leaves most hope, the earliest of such.
    public enum Verdict: Hashable, Sendable {
        case failed(TransferFailure)
        case deferred(HostWait)
    }

    public var verdict: Verdict? {
        let best = failures.enumerated().min { lhs, rhs in
            (lhs.element.failureClass.rank, lhs.offset) < (rhs.element.failureClass.rank, rhs.offset)
        }
        guard let best = best?.element else { return wait.map { .deferred($0) } }
        guard wait != nil, best.failureClass.rank > 0 else { return .failed(best) }
        // One that was merely not asked may still bring the file.
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
