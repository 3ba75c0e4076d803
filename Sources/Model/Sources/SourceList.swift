/// The sources of one download in their order, and what was seen of each: which of them the next connection asks.
///
/// The first source whose answer passes the gate says what the file is (``SourceAgreement``). Of the others no byte
/// is taken before their own answer has agreed; this list only says whom it is worth to ask.
public struct SourceList: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public let url: SourceURL
        public internal(set) var standing = SourceStanding.unused
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
    public static let maximumMirrors = 32
    /// Failures in a row without a byte after which a source is left.
    public static let failureLimit = 3
    /// The time after a failure in which others are asked before; twice that after the next.
    static let firstPause = Duration.seconds(30)

    /// - Parameter urls: What comes twice counts once, and what is too much not at all.
    public init(_ urls: [SourceURL]) {
        entries = []
        for url in urls { append(url) }
    }

    public subscript(id: SourceID) -> Entry { entries[id.index] }

    public var ids: [SourceID] { entries.indices.map { SourceID($0) } }

    /// The source with this text as its URL.
    public func id(of url: String) -> SourceID? {
        entries.firstIndex { $0.url.text == url }.map { SourceID($0) }
    }

    /// Adds a source that somebody named on the way, unless it is there or there are too many.
    public mutating func append(_ url: SourceURL) {
        guard entries.count <= Self.maximumMirrors, id(of: url.text) == nil else { return }
        entries.append(Entry(url: url))
    }

    // MARK: - Choosing

    /// The source that a further connection of a running download asks: of those with the fewest failures one that has
    /// no connection yet, else the fastest for each of its connections, else the first in order.
    ///
    /// - Parameters:
    ///   - now: The time since the download began.
    ///   - mayServe: Whether it can prove its bytes, and its host bears one more connection.
    public func next(at now: Duration, where mayServe: (SourceID) -> Bool) -> SourceID? {
        ids.filter { isEligible($0) && mayServe($0) }.min { precedes($0, $1, at: now) }
    }

    /// Whether further connections may ask it.
    public func isEligible(_ id: SourceID) -> Bool {
        let entry = self[id]
        if case .left = entry.standing { return false }
        return entry.limit.map { entry.connections < $0 } ?? true
    }

    /// Whether nobody else could be asked for what this source does not bring.
    public func isAlone(_ id: SourceID) -> Bool {
        !ids.contains { $0 != id && self[$0].standing.reason == nil }
    }

    private func precedes(_ lhs: SourceID, _ rhs: SourceID, at now: Duration) -> Bool {
        let (left, right) = (self[lhs], self[rhs])
        let failures = (left.failures(at: now), right.failures(at: now))
        if failures.0 != failures.1 { return failures.0 < failures.1 }
        if (left.connections == 0) != (right.connections == 0) { return left.connections == 0 }
        // Of one that was not measured yet the best is expected: that is how it gets measured.
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
