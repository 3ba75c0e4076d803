/// Claims, one time after the other. A call that comes while a claim is under way lets one more follow it, so that
/// nothing is missed and nothing is asked for twice at once.
public actor ClaimLoop {
    private let claim: @Sendable () async -> Void
    private var isClaiming = false
    private var mustClaimAgain = false
    private var isStopped = false

    /// - Parameter claim: Asks the store for work, and hands it on.
    public init(claim: @escaping @Sendable () async -> Void) {
        self.claim = claim
    }

    /// Claims until nobody has asked for it since the last claim began.
    public func run() async {
        mustClaimAgain = true
        guard !isClaiming else { return }
        isClaiming = true
        defer { isClaiming = false }
        while mustClaimAgain && !isStopped {
            mustClaimAgain = false
            await claim()
        }
    }

    /// Lets no claim begin any more.
    public func stop() { isStopped = true }
}
