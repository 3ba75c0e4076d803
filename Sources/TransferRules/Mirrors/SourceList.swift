public import Core

/// The sources of one download in their order, and what was seen of each: which of them the next connection asks.
///
/// The first source whose response is accepted describes the file (``SourceAgreement``). No byte of another source is
/// used before its own response has agreed; this list only chooses which source to ask.
public struct SourceList: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public let url: DownloadURL
        public internal(set) var state = SourceState.unused
        /// Failures in a row without a byte.
        public internal(set) var failures = 0
        /// Connections that ask it, or are fetching from it.
        public internal(set) var connections = 0
        /// Bytes per second of one of its connections, as measured last.
        public internal(set) var rate: Double?
        /// It refused one connection more than this.
        public internal(set) var limit: Int?
        /// When it is worth another try after failures.
        var retryAt = Duration.zero
    }

    public internal(set) var entries: [Entry]

    /// The most sources beside the first.
    public static let maximumMirrors = DownloadRequest.maximumMirrors
    /// Failures in a row without a byte after which a source is left.
    public static let failureLimit = 3
    /// The time after a failure in which others are asked before; twice that after the next.
    static let firstPause = Duration.seconds(30)

    /// - Parameter urls: What comes twice counts once, and what is too much not at all.
    public init(_ urls: [DownloadURL]) {
        entries = []
        for url in urls { append(url) }
    }

    public subscript(id: SourceID) -> Entry { entries[id.index] }

    public var ids: [SourceID] { entries.indices.map { SourceID($0) } }

    /// The source with this URL.
    public func id(of url: DownloadURL) -> SourceID? {
        entries.firstIndex { $0.url.text == url.text }.map { SourceID($0) }
    }

    /// Adds a source that the origin named, unless it is listed or there are too many.
    public mutating func append(_ url: DownloadURL) {
        guard entries.count <= Self.maximumMirrors, id(of: url) == nil else { return }
        entries.append(Entry(url: url))
    }

    // MARK: - Choosing

    /// The source that a further connection of a running download asks: of those with the fewest failures one that has
    /// no connection yet, else the fastest for each of its connections, else the first in order.
    ///
    /// - Parameters:
    ///   - now: The time since the download began.
    ///   - mayServe: Whether its bytes can be proved, and its host accepts one more connection.
    public func next(at now: Duration, where mayServe: (SourceID) -> Bool) -> SourceID? {
        ids.filter { isEligible($0) && mayServe($0) }.min { precedes($0, $1, at: now) }
    }

    /// Whether further connections may ask it.
    public func isEligible(_ id: SourceID) -> Bool {
        let entry = self[id]
        if case .left = entry.state { return false }
        return entry.limit.map { entry.connections < $0 } ?? true
    }

    /// Whether no other source can be asked.
    public func isAlone(_ id: SourceID) -> Bool {
        !ids.contains { $0 != id && self[$0].state.reason == nil }
    }

    private func precedes(_ lhs: SourceID, _ rhs: SourceID, at now: Duration) -> Bool {
        let (left, right) = (self[lhs], self[rhs])
        let failures = (left.failures(at: now), right.failures(at: now))
        if failures.0 != failures.1 { return failures.0 < failures.1 }
        if (left.connections == 0) != (right.connections == 0) { return left.connections == 0 }
        // An unmeasured source counts as the fastest, so that it gets measured.
        let rates = (left.rate ?? .infinity, right.rate ?? .infinity)
        if rates.0 != rates.1 { return rates.0 > rates.1 }
        if left.connections != right.connections { return left.connections < right.connections }
        return lhs < rhs
    }
}

extension SourceList.Entry {
    /// The failures that count against it now.
    fileprivate func failures(at now: Duration) -> Int { now >= retryAt ? 0 : failures }
}

/// What was seen of a source.
extension SourceList {
    /// Records that a connection is about to ask it.
    public mutating func recordOpened(_ id: SourceID) { entries[id.index].connections += 1 }

    public mutating func recordClosed(_ id: SourceID) {
        entries[id.index].connections = max(entries[id.index].connections - 1, 0)
    }

    /// Records that its response agreed and its bytes are used.
    public mutating func recordUsed(_ id: SourceID) {
        entries[id.index].state = .used
        entries[id.index].failures = 0
        entries[id.index].retryAt = .zero
    }

    /// - Parameter rate: Bytes per second of one connection.
    public mutating func updateRate(_ rate: Double, of id: SourceID) { entries[id.index].rate = rate }

    /// Records that a connection to it failed before its first byte.
    public mutating func recordFailure(_ id: SourceID, at now: Duration) {
        let failures = entries[id.index].failures + 1
        entries[id.index].failures = failures
        entries[id.index].retryAt = now + Self.firstPause * (1 << min(failures - 1, 8))
        if failures >= Self.failureLimit { leave(id, .failed) }
    }

    /// Records that it refused a further connection. Without another connection the source is left.
    ///
    /// - Parameter others: The number of its other connections.
    public mutating func recordRefusal(_ id: SourceID, _ decision: ResponseDecision, others: Int, at now: Duration) {
        guard others == 0 else {
            entries[id.index].limit = others
            return
        }
        switch decision {
        case .restart: leave(id, .differs)
        case .collapseToSingleStream, .requestWithoutRange: leave(id, .noRanges)
        case .fail, .waitForCredentials: leave(id, .failed)
        case .retry, .retrySuspect, .accept, .requestWithOtherCondition, .alreadyComplete, .followRedirect,
            .awaitFinalResponse:
            recordFailure(id, at: now)
        }
    }

    /// Leaves a source. The last one is not left for being slow, nor for failures while another of its connections
    /// works.
    public mutating func leave(_ id: SourceID, _ reason: SourceState.Reason) {
        if isAlone(id) {
            guard reason != .slow, reason != .failed || self[id].connections <= 1 else { return }
        }
        entries[id.index].state = .left(reason)
    }

    /// Forgets the sources' descriptions of the file, because the download restarts. Sources that were left for
    /// failures or slowness stay left.
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

/// One of the addresses that a file can be fetched from, by its place in the order they were named.
public struct SourceID: Hashable, Comparable, Sendable {
    public let index: Int

    public init(_ index: Int) {
        self.index = index
    }

    /// The first: the URL of the download.
    public static let primary = SourceID(0)

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.index < rhs.index }
}
