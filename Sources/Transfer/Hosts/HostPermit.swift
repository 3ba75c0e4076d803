import Core
import HTTPFields
import Synchronization
import TransferRules

/// The permission for one connection to a host. It ends with `close()` or with its last reference.
final class HostPermit: Sendable {
    let authority: String
    let download: DownloadID
    /// Whether failures are not recorded. A client may probe many URLs, each under another id, so they would look like
    /// failures of several downloads.
    private let isProbe: Bool
    private let hosts: HostTable
    private let isClosed = Atomic<Bool>(false)
    /// Whether the response came over HTTP/3.
    let isOverHTTP3 = Atomic<Bool>(false)

    init(authority: String, download: DownloadID, isProbe: Bool = false, hosts: HostTable) {
        self.authority = authority
        self.download = download
        self.isProbe = isProbe
        self.hosts = hosts
    }

    deinit { close() }

    /// Ends the permission. Further calls have no effect.
    func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        hosts.close(authority, of: download)
    }
}

// MARK: - Results

extension HostPermit {
    func recordSuccess() {
        hosts.recordSuccess(by: authority, of: download)
    }

    /// Records a redirect. The host works, but the response says nothing about the file.
    func recordRedirect() {
        hosts.updateGovernor(authority) { $0.recordSuccess(at: $1) }
    }

    /// Records the success or failure of the host that a response shows.
    func record(status: Int, _ decision: ResponseDecision) {
        switch (status, decision) {
        case (429, .retry(let failure)):
            let delay = failure.retryAfter?.delay
            hosts.recordRefusal(by: authority, of: download, retryAfter: delay, because: .tooManyRequests)
        case (503, .retry(let failure)):
            hosts.recordUnavailable(authority, of: download, retryAfter: failure.retryAfter?.delay)
        case (429, _): hosts.recordRefusal(by: authority, of: download, because: .tooManyRequests)
        case (503, _): hosts.recordUnavailable(authority, of: download)
        case (500, _), (502, _), (504, _): recordFailure()
        // Some hosts refuse too many requests with these.
        case (403, .retry(let failure)), (420, .retry(let failure)):
            guard let delay = failure.retryAfter?.delay else { break }
            hosts.recordRefusal(by: authority, of: download, retryAfter: delay, because: .tooManyRequests)
        // A file may be missing on a working host, and a captive portal's response says nothing about the host.
        case (404, .retry), (404, .retrySuspect):
            recordSuccess()
        case (403, _), (_, .retry), (_, .retrySuspect):
            break
        default:
            recordSuccess()
        }
    }

    /// Records a failed request that is not repeated in another HTTP version.
    func recordEnd(_ interruption: AttemptInterruption) {
        guard case .source(.failed(let failure)) = interruption, failure.retryAfter == nil,
            failure.isFaultOfHTTP2(at: .header)
        else { return }
        recordFailure()
    }

    private func recordFailure() {
        guard !isProbe else { return }
        hosts.updateGovernor(authority) { $0.recordFailure(at: $1, of: download) }
    }

    /// Records that no response arrived, or that its body ended early.
    ///
    /// - Parameter afterBytes: The received bytes of the body. A host that sends bytes works, even if its connections
    ///   break: the next request continues after these bytes.
    func record(
        _ failure: TransferFailure,
        at stage: TransferFailure.Stage,
        isReset: Bool = false,
        afterBytes: Int64 = 0
    ) {
        guard case .transient(let limits) = failure.failureClass else { return }
        // An FTP or SFTP server without the file works, like a host that answers 404.
        if limits == .notFound || failure.concernsURL { return recordSuccess() }
        if stage == .body, isOverHTTP3.load(ordering: .relaxed) {
            hosts.updateVersions(of: authority) { $0.recordHTTP3Failure(at: $1) }
        }
        let isFaultOfHTTP2 = failure.retryAfter == nil && failure.isFaultOfHTTP2(at: stage)
        if isFaultOfHTTP2 { hosts.updateVersions(of: authority) { $0.recordFailure(at: $1) } }
        // The request may be repeated immediately in another version. Its final result is recorded by
        // ``recordEnd(_:)``.
        if isFaultOfHTTP2, stage == .header { return }
        if (isReset && !isProbe) || failure.retryAfter != nil {
            hosts.recordRefusal(by: authority, of: download, retryAfter: failure.retryAfter?.delay)
        } else if afterBytes == 0 {
            recordFailure()
        }
    }
}
