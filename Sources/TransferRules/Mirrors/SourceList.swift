public import Core

/// The sources of one download in their order, with the observed state of each. It selects the source for each
/// connection.
///
/// The first accepted response describes the file. Bytes of another source are used only if its own response agrees
/// with the description (``SourceAgreement``); this list only chooses the source.
public struct SourceList: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public let url: DownloadURL
        public internal(set) var state = SourceState.unused
        /// The number of consecutive failures without a byte.
        public internal(set) var failures = 0
        /// The number of connections that have sent it a request or receive from it.
        public internal(set) var connections = 0
        /// The latest measured rate of one of its connections, in bytes per second.
        public internal(set) var rate: Double?
        /// The maximum number of connections, learned from a refusal of one more; nil if none was refused.
        public internal(set) var limit: Int?
        /// The time from which its failures no longer count, since the start of the download.
        var retryAt = Duration.zero
    }

    public internal(set) var entries: [Entry]

    /// The maximum number of sources besides the first.
    public static let maximumMirrors = DownloadRequest.maximumMirrors
    /// The number of consecutive failures without a byte after which a source is no longer used.
    public static let failureLimit = 3
    /// How long other sources are preferred after a failure. Each further failure doubles it.
    static let firstPause = Duration.seconds(30)

    /// - Parameter urls: Repeated URLs, and URLs above the maximum, are ignored.
    public init(_ urls: [DownloadURL]) {
        entries = []
        for url in urls { append(url) }
    }

    public subscript(id: SourceID) -> Entry { entries[id.index] }

    public var ids: [SourceID] { entries.indices.map { SourceID($0) } }

    /// The source with this URL; nil if it is not listed.
    public func id(of url: DownloadURL) -> SourceID? {
        entries.firstIndex { $0.url.text == url.text }.map { SourceID($0) }
    }

    /// Adds a source that the origin named. Does nothing if it is listed already or the list is full.
    public mutating func append(_ url: DownloadURL) {
        guard entries.count <= Self.maximumMirrors, id(of: url) == nil else { return }
        entries.append(Entry(url: url))
    }

    // MARK: - Selection

    /// The source for a further connection of a running download. Criteria, in this order: the fewest failures, no
    /// connection yet, the highest rate per connection, the fewest connections, the order of the list.
    ///
    /// - Parameters:
    ///   - now: The time since the start of the download.
    ///   - mayServe: Whether the source's bytes can be proved to be of the file, and its host accepts one more
    ///     connection.
    public func next(at now: Duration, where mayServe: (SourceID) -> Bool) -> SourceID? {
        ids.filter { isEligible($0) && mayServe($0) }.min { precedes($0, $1, at: now) }
    }

    /// Whether further connections may use the source.
    public func isEligible(_ id: SourceID) -> Bool {
        let entry = self[id]
        if case .left = entry.state { return false }
        return entry.limit.map { entry.connections < $0 } ?? true
    }

    /// Whether no other source can be used.
    public func isAlone(_ id: SourceID) -> Bool {
        !ids.contains { $0 != id && self[$0].state.reason == nil }
    }

    private func precedes(_ lhs: SourceID, _ rhs: SourceID, at now: Duration) -> Bool {
        let (left, right) = (self[lhs], self[rhs])
        let failures = (left.failures(at: now), right.failures(at: now))
        if failures.0 != failures.1 { return failures.0 < failures.1 }
        if (left.connections == 0) != (right.connections == 0) { return left.connections == 0 }
        // A source without a measured rate counts as the fastest, so that its rate is measured.
        let rates = (left.rate ?? .infinity, right.rate ?? .infinity)
        if rates.0 != rates.1 { return rates.0 > rates.1 }
        if left.connections != right.connections { return left.connections < right.connections }
        return lhs < rhs
    }
}

extension SourceList.Entry {
    /// The failures that count at `now`: none once `retryAt` has passed.
    fileprivate func failures(at now: Duration) -> Int { now >= retryAt ? 0 : failures }
}

/// Updates the observed state of a source.
extension SourceList {
    /// Records that a connection is about to send a request to the source.
    public mutating func recordOpened(_ id: SourceID) { entries[id.index].connections += 1 }

    public mutating func recordClosed(_ id: SourceID) {
        entries[id.index].connections = max(entries[id.index].connections - 1, 0)
    }

    /// Records that the source's response agreed with the description and its bytes are used.
    public mutating func recordUsed(_ id: SourceID) {
        entries[id.index].state = .used
        entries[id.index].failures = 0
        entries[id.index].retryAt = .zero
    }

    /// - Parameter rate: The rate of one connection, in bytes per second.
    public mutating func updateRate(_ rate: Double, of id: SourceID) { entries[id.index].rate = rate }

    /// Records that a connection to the source failed before its first byte.
    public mutating func recordFailure(_ id: SourceID, at now: Duration) {
        let failures = entries[id.index].failures + 1
        entries[id.index].failures = failures
        entries[id.index].retryAt = now + Self.firstPause * (1 << min(failures - 1, 8))
        if failures >= Self.failureLimit { leave(id, .failed) }
    }

    /// Records that the source refused a further connection. If it has no other connection, the refusal counts against
    /// it.
    ///
    /// - Parameter others: The number of the source's other connections.
    public mutating func recordRefusal(_ id: SourceID, _ decision: ResponseDecision, others: Int, at now: Duration) {
        guard others == 0 else {
            entries[id.index].limit = others
            return
        }
        switch decision {
        case .restart: leave(id, .differs)
        case .collapseToSingleStream, .requestWithoutRange: leave(id, .noRanges)
        case .fail, .waitForCredentials: leave(id, .failed)
        case .retry, .retrySuspect, .accept, .requestWithOtherCondition, .alreadyComplete, .notModified,
            .followRedirect, .awaitFinalResponse:
            recordFailure(id, at: now)
        }
    }

    /// Stops using a source. The last source stays in use if it is slow, or if it failed while another of its
    /// connections works.
    public mutating func leave(_ id: SourceID, _ reason: SourceState.Reason) {
        if isAlone(id) {
            guard reason != .slow, reason != .failed || self[id].connections <= 1 else { return }
        }
        entries[id.index].state = .left(reason)
    }

    /// Resets what depends on the discarded bytes when the download restarts. Sources that failed, were slow or did not
    /// serve ranges stay excluded.
    public mutating func restart() {
        for index in entries.indices {
            entries[index].limit = nil
            switch entries[index].state {
            case .used, .left(.differs): entries[index].state = .unused
            case .unused, .left(.failed), .left(.slow), .left(.noRanges): break
            }
        }
    }
}

/// The position of a source in the ``SourceList`` of its download.
public struct SourceID: Hashable, Comparable, Sendable {
    public let index: Int

    public init(_ index: Int) {
        self.index = index
    }

    /// The first source: the URL of the download.
    public static let primary = SourceID(0)

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.index < rhs.index }
}
