public import Core

/// Decides when a new URL is requested through `refresh_url`, and how its responses are interpreted.
public enum URLRefreshRules {
    /// The number of consecutive new URLs without a new byte after which the download continues as without a
    /// `refresh_url`.
    public static let maximumInARow = 3
    /// The largest response of a `refresh_url`, in bytes.
    public static let maximumBytes = 64 << 10

    /// Whether an expired URL may have caused the failure.
    ///
    /// For expired signed URLs, most storage services return 403, some return 401 or 410 (RFC 9110, sections 15.5.2,
    /// 15.5.4 and 15.5.11). A 404 concerns the file, a 407 the proxy.
    ///
    /// - Parameter isSuspect: Whether the response was something other than the file, such as a login page.
    public static func concerns(_ error: DownloadError, isSuspect: Bool) -> Bool {
        if isSuspect { return true }
        return switch error.httpStatus {
        case 401, 403, 410: error.code == .authRequired || error.code == .httpClientError
        default: false
        }
    }

    /// The delay before a new URL is used: zero, unless the previous failure was a refused URL too. Without a delay,
    /// URLs that each yield a few bytes would cause requests as fast as the two hosts respond.
    ///
    /// - Parameters:
    ///   - download: The download before it takes the new URL.
    ///   - madeProgress: Whether the failed attempt stored a new byte.
    ///   - random: As for ``RetryPolicy/delay(attemptsWithoutProgress:random:retryAfter:)``.
    public static func delay(
        _ download: Download,
        madeProgress: Bool,
        policy: RetryPolicy,
        random: Double
    ) -> Duration {
        guard download.error != nil, download.attempts.sameFailures == 0 else { return .zero }
        return policy.delay(attemptsWithoutProgress: madeProgress ? 0 : download.attempts.urlRefreshes, random: random)
    }

    /// The failure to report after the refresh failed for good; nil for the failure of the refresh itself.
    ///
    /// If the client could still set another URL, the download waits for it, as it would without a `refresh_url`: a
    /// `refresh_url` must never make the result worse.
    public static func remaining(of refusal: TransferFailure, after trouble: DownloadError) -> TransferFailure? {
        guard refusal.failureClass == .credentials else { return nil }
        return TransferFailure(
            DownloadError(
                refusal.error.code,
                message: trouble.message,
                httpStatus: refusal.error.httpStatus,
                curlCode: refusal.error.curlCode
            ),
            failureClass: .credentials
        )
    }

    /// The failure class of a status other than 200 from the `refresh_url`; nil if the status means that there is no
    /// new URL, so that the original refusal is reported.
    public static func failureClass(status: Int) -> FailureClass? {
        switch FailureClass(httpStatus: status) {
        case .transient(let limits): .transient(limits)
        default: (400...499).contains(status) ? nil : .transient(.retries(2))
        }
    }
}
