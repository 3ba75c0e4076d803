public import Core

/// Decides which version of HTTP to use for a host.
///
/// HTTP/2 shares one connection between requests, which suits a host of small files. It is tried with one request.
/// Other requests use it once that request has a response. HTTP/3, if the operator allows it, is used for every other
/// request, until the host or the network shows that it does not work.
public struct HTTPVersionMemory: Hashable, Sendable {
    /// The largest size of a small file, in bytes.
    public static let smallFile: Int64 = 1 << 20
    /// The number of consecutive small files after which HTTP/2 is tried.
    public static let smallFilesToShare = 4
    /// The number of failures after which HTTP/2 is avoided. A failure counts for `failureAge`.
    public static let failuresToAvoid = 3
    static let failureAge = Duration.seconds(600)
    /// How long HTTP/2 is avoided, and how long HTTP/1.1 counts as refused.
    static let memory = Duration.seconds(3600)
    /// Failures within this time count as one, because requests share a connection.
    static let burst = Duration.seconds(1)
    /// After this time without a result, another request may be the trial.
    static let longestTrial = Duration.seconds(60)

    private enum Sharing: Hashable {
        case untried
        case onTrial(since: Timestamp)
        case works
    }

    private var smallFiles = 0
    private var sharing = Sharing.untried
    private var failures: [Timestamp] = []
    private var avoidsHTTP2Until: Timestamp?
    private var needsHTTP2Until: Timestamp?
    private var avoidsHTTP3Until: Timestamp?
    private var offersAgainAt: Timestamp?
    private var acceptedOfferUntil: Timestamp?

    public init() {}

    /// Whether the memory is in its initial state.
    public func isPristine(at now: Timestamp) -> Bool {
        smallFiles == 0 && sharing == .untried && !avoidsHTTP2(at: now) && !needsHTTP2(at: now)
            && mayUseHTTP3(at: now) && !Self.isActive(acceptedOfferUntil, at: now)
            && !Self.isActive(offersAgainAt, at: now) && failures.allSatisfy { now - $0 > Self.failureAge }
    }

    /// Whether the host refused HTTP/1.1.
    public func needsHTTP2(at now: Timestamp) -> Bool { Self.isActive(needsHTTP2Until, at: now) }

    private func avoidsHTTP2(at now: Timestamp) -> Bool { Self.isActive(avoidsHTTP2Until, at: now) }

    /// Whether a request may use HTTP/2. The request may become the trial.
    public mutating func mayShare(at now: Timestamp) -> Bool {
        guard !avoidsHTTP2(at: now), smallFiles >= Self.smallFilesToShare else { return false }
        switch sharing {
        case .works: return true
        case .onTrial(let since) where (.zero..<Self.longestTrial).contains(now - since): return false
        case .untried, .onTrial:
            sharing = .onTrial(since: now)
            return true
        }
    }

    /// Whether a request may use HTTP/3. It may until a response came over another version, or a transfer failed.
    public func mayUseHTTP3(at now: Timestamp) -> Bool { !Self.isActive(avoidsHTTP3Until, at: now) }

    /// Records that a request which preferred HTTP/3 got its response over another version, or failed over HTTP/3. Some
    /// networks drop UDP, or slow it down.
    public mutating func recordHTTP3Failure(at now: Timestamp) { avoidsHTTP3Until = now + Self.memory }

    /// Records the length of a file's body; nil if it is unknown.
    public mutating func recordFile(of length: Int64?) {
        let isSmall = length.map { $0 <= Self.smallFile } ?? false
        smallFiles = isSmall ? min(smallFiles + 1, Self.smallFilesToShare) : 0
    }

    /// Records the version of the response to a request that offered HTTP/2.
    public mutating func recordResponse(isHTTP2: Bool, at now: Timestamp) {
        sharing = isHTTP2 ? .works : .untried
        if !isHTTP2 { avoidsHTTP2Until = now + Self.memory }
    }

    /// Records a failure of an HTTP/2 connection or stream.
    public mutating func recordFailure(at now: Timestamp) {
        sharing = .untried
        failures.removeAll { now - $0 > Self.failureAge || $0 > now }
        if let last = failures.last, now - last < Self.burst { return }
        failures.append(now)
        guard failures.count >= Self.failuresToAvoid else { return }
        avoidsHTTP2Until = now + Self.memory
        failures = []
    }

    /// Records that the host refused HTTP/1.1 in the TLS handshake.
    public mutating func recordHTTP1Refusal(at now: Timestamp) { needsHTTP2Until = now + Self.memory }

    /// Whether a request whose connection ended without a response over HTTP/1.1 is repeated over HTTP/2. Some hosts
    /// that speak nothing else end the connection instead of refusing the version. HTTP/2 is offered once in
    /// `failureAge`, so that an outage does not cost twice as many connections.
    public mutating func mayOffer(at now: Timestamp) -> Bool {
        guard !Self.isActive(offersAgainAt, at: now) else { return false }
        offersAgainAt = now + Self.failureAge
        return true
    }

    /// Records that such a request got its response over HTTP/2. The second one within an hour counts as a refusal of
    /// HTTP/1.1; the first may be the end of an outage.
    public mutating func recordAcceptedOffer(at now: Timestamp) {
        offersAgainAt = nil
        if Self.isActive(acceptedOfferUntil, at: now) { recordHTTP1Refusal(at: now) }
        acceptedOfferUntil = now + Self.memory
    }

    private static func isActive(_ until: Timestamp?, at now: Timestamp) -> Bool {
        until?.isAhead(of: now, within: memory) == true
    }
}
