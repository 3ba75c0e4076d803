public import Core

/// When another link is asked for in place of one that is refused.
public enum URLRefreshRules {
    /// New links in a row without a new byte after which a download goes on, or fails, as if there were none to ask.
    public static let maximumInARow = 3
    /// The most bytes of a document that brings a link.
    public static let maximumBytes = 64 << 10

    /// Whether a failure may be the link's.
    ///
    /// Signed links that expired are answered 403 by most stores, 401 or 410 by some (RFC 9110, sections 15.5.2, 15.5.4
    /// and 15.5.11). A 404 speaks of the file, and a 407 of a proxy.
    ///
    /// - Parameter isSuspect: Whether something else than the file came, as a login page does.
    public static func concerns(_ error: DownloadError, isSuspect: Bool) -> Bool {
        if isSuspect { return true }
        return switch error.httpStatus {
        case 401, 403, 410: error.code == .authRequired || error.code == .httpClientError
        default: false
        }
    }

    /// How long another link waits until it is followed: not at all, but where the last thing that went wrong was
    /// that a link was refused too. One that brings some bytes each time would else be asked for, and followed, as fast
    /// as two hosts can answer.
    ///
    /// - Parameters:
    ///   - download: Before it takes the new link.
    ///   - madeProgress: Whether the attempt that failed brought a new byte.
    ///   - random: As ``RetryPolicy/delay(attemptsWithoutProgress:random:retryAfter:)`` has it.
    public static func delay(
        _ download: Download,
        madeProgress: Bool,
        policy: RetryPolicy,
        random: Double
    ) -> Duration {
        guard download.error != nil, download.attempts.sameFailures == 0 else { return .zero }
        return policy.delay(attemptsWithoutProgress: madeProgress ? 0 : download.attempts.urlRefreshes, random: random)
    }

    /// What holds once asking for another link has failed for good; nil for the failure of the asking itself.
    ///
    /// Whoever could give another link by hand is waited for, as where nobody else can be asked: to name somebody is
    /// never worse than to name nobody.
    public static func remaining(of refusal: TransferFailure, after trouble: DownloadError) -> TransferFailure? {
        guard refusal.failureClass == .credentials else { return nil }
        return TransferFailure(
            DownloadError(
                refusal.error.code,
                message: trouble.message,
                httpStatus: refusal.error.httpStatus,
                transportCode: refusal.error.transportCode
            ),
            failureClass: .credentials
        )
    }

    /// What a status other than 200 of whoever is asked means; nil where it has no other link, so that what was refused
    /// stays refused.
    public static func failureClass(status: Int) -> FailureClass? {
        switch FailureClass(httpStatus: status) {
        case .transient(let limits): .transient(limits)
        default: (400...499).contains(status) ? nil : .transient(.tries(2))
        }
    }
}
