/// Claims, one time after the other. A call that comes while a claim is under way lets one more follow it, so that
/// nothing is missed and nothing is asked for twice at once.
public actor ClaimLoop {
    private let claim: @Sendable () async -> Void
    private var isClaiming = false
    private var mustClaimAgain = false
    private var isStopped = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameter claim: Asks the store for work, and hands it on.
    public init(claim: @escaping @Sendable () async -> Void) {
        self.claim = claim
    }

    /// Claims until nobody has asked for it since the last claim began.
    public func run() async {
        mustClaimAgain = true
        guard !isClaiming else { return }
        isClaiming = true
        while mustClaimAgain && !isStopped {
            mustClaimAgain = false
            await claim()
        }
        isClaiming = false
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// Lets no claim begin any more, and waits for the end of one that is under way.
    public func stop() async {
        isStopped = true
        guard isClaiming else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}
