public import Core

/// When another URL is requested through `refresh_url`, and what its answers mean.
public enum URLRefreshRules {
    /// After this many new URLs in a row without a new byte the download continues as if it had no `refresh_url`.
    public static let maximumInARow = 3
    /// The largest answer with a URL, in bytes.
    public static let maximumBytes = 64 << 10

    /// Whether a failure may be the link's.
    ///
    /// Expired signed URLs are answered 403 by most storage services, 401 or 410 by some (RFC 9110, sections 15.5.2,
    /// 15.5.4 and 15.5.11). A 404 concerns the file, a 407 the proxy.
    ///
    /// - Parameter isSuspect: Whether something else than the file came, as a login page does.
    public static func concerns(_ error: DownloadError, isSuspect: Bool) -> Bool {
        if isSuspect { return true }
        return switch error.httpStatus {
        case 401, 403, 410: error.code == .authRequired || error.code == .httpClientError
        default: false
        }
    }

    /// The delay before a new URL is used: none, unless the last failure was a refused URL too. Otherwise URLs that
    /// each give a few bytes would be requested and used as fast as two hosts can answer.
    ///
    /// - Parameters:
    ///   - download: Before it takes the new link.
    ///   - madeProgress: Whether the failed attempt had a new byte.
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
    /// If the client could still set another URL, the download waits for that, as it would without a `refresh_url`:
    /// naming one must never make things worse.
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

    /// The class of a status other than 200 of the `refresh_url`; nil if it has no other URL, so that the refusal
    /// stands.
    public static func failureClass(status: Int) -> FailureClass? {
        switch FailureClass(httpStatus: status) {
        case .transient(let limits): .transient(limits)
        default: (400...499).contains(status) ? nil : .transient(.tries(2))
        }
    }
}
