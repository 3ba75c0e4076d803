import Core
import HTTPFields
import Synchronization
import TransferRules

/// The right to one connection to a host, which ends when it is closed or nobody holds it any more.
final class HostPermit: Sendable {
    let authority: String
    let download: DownloadID
    private let hosts: HostTable
    private let isClosed = Atomic<Bool>(false)

    init(authority: String, download: DownloadID, hosts: HostTable) {
        self.authority = authority
        self.download = download
        self.hosts = hosts
    }

    deinit { close() }

    /// Counts the connection out; again is no fault.
    func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        hosts.close(authority, of: download)
    }
}

// MARK: - What came of it

extension HostPermit {
    func recordSuccess() {
        hosts.updateGovernor(authority) { $0.recordSuccess(at: $1, of: download) }
    }

    /// Notes that the host sent the request elsewhere. It is at work, but nothing is known of what is asked for.
    func recordRedirect() {
        hosts.updateGovernor(authority) { $0.recordSuccess(at: $1) }
    }

    /// Notes what an answer says of its host.
    func record(status: Int, _ decision: ResponseDecision) {
        switch (status, decision) {
        case (429, .retry(let failure)):
            hosts.recordRefusal(by: authority, of: download, retryAfter: failure.retryAfter?.delay)
        case (503, .retry(let failure)):
            hosts.recordUnavailable(authority, of: download, retryAfter: failure.retryAfter?.delay)
        case (429, _): hosts.recordRefusal(by: authority, of: download)
        case (503, _): hosts.recordUnavailable(authority, of: download)
        case (500, _), (502, _), (504, _):
            hosts.updateGovernor(authority) { $0.recordFailure(at: $1, of: download) }
        // A file may be missing from a host that is well. Somebody else's answer says nothing of it.
        case (404, .retry), (404, .retrySuspect):
            recordSuccess()
        case (403, _), (_, .retry), (_, .retrySuspect):
            break
        default:
            recordSuccess()
        }
    }

    /// Notes that a request has failed for good, which no other version of HTTP is to be tried for.
    func recordEnd(_ interruption: AttemptInterruption) {
        guard case .failed(let failure) = interruption, failure.retryAfter == nil,
            failure.isFaultOfHTTP2(at: .header)
        else { return }
        hosts.updateGovernor(authority) { $0.recordFailure(at: $1, of: download) }
    }

    /// Notes that no answer came, or that its body broke off.
    ///
    /// - Parameter afterBytes: What had come of the body. A host that brings bytes is at work, however often it breaks
    ///   off: what is asked for next begins where they end.
    func record(
        _ failure: TransferFailure,
        at stage: TransferFailure.Stage,
        isReset: Bool = false,
        afterBytes: Int64 = 0
    ) {
        guard case .transient = failure.failureClass else { return }
        let isFaultOfHTTP2 = failure.retryAfter == nil && failure.isFaultOfHTTP2(at: stage)
        if isFaultOfHTTP2 { hosts.updateVersions(of: authority) { $0.recordFailure(at: $1) } }
        // How that ends is noted then: it may be asked again at once.
        if isFaultOfHTTP2, stage == .header { return }
        if isReset || failure.retryAfter != nil {
            hosts.recordRefusal(by: authority, of: download, retryAfter: failure.retryAfter?.delay)
        } else if afterBytes == 0 {
            hosts.updateGovernor(authority) { $0.recordFailure(at: $1, of: download) }
        }
    }
}
