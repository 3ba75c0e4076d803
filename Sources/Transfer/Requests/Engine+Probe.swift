public import Core
import Curl
import HTTPFields
import TransferRules

extension Engine {
    /// The maximum duration of a probe, including redirects.
    public static let probeTime = Duration.seconds(15)

    /// Requests the first byte of a file, and reports what the response says about the file. Nothing is stored.
    ///
    /// The rules for a download's requests apply: destinations, redirects and limits of hosts.
    ///
    /// - Parameters:
    ///   - requested: The download. Its request is a GET.
    ///   - id: The id for counting connections to the host.
    public func probe(_ requested: RequestedDownload, as id: DownloadID) async -> ProbeReport {
        await withTaskGroup(of: ProbeReport?.self) { group in
            group.addTask { await self.sendProbe(requested, id) }
            group.addTask { [time] in
                try? await time.sleep(for: Self.probeTime)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? ProbeReport(requested.request, error: Self.probeTimeout)
        }
    }

    private static let probeTimeout = DownloadError(.timeout, message: "The origin did not answer within 15 seconds.")

    private func sendProbe(_ requested: RequestedDownload, _ id: DownloadID) async -> ProbeReport {
        let url = requested.request.url
        let rate = limiter.rate(nil, revision: 1, session: nil)
        var owner = OriginClient.Owner(download: id, url: url, credentials: requested.credentials, rate: rate)
        owner.isProbe = true
        let origin = OriginClient(
            transport(to: url.authority) { BufferSizes(running: .max, connections: 0) },
            settings: sharedSettings.applying(requested.request.retry),
            for: owner
        )
        // FTP and SFTP have no such range. Their servers report the size without it.
        let firstByte = RequestedRange(first: 0, last: 0, condition: .none(overlap: 0))
        let request = SentRequest(range: url.abilities.redirects ? firstByte : nil)
        do throws(AttemptInterruption) {
            let response = try await origin.send(url, for: request, storedFrom: nil)
            record(response)
            let report = report(response, of: requested.request)
            await response.discard()
            return report
        } catch {
            return ProbeReport(requested.request, error: Self.error(of: error))
        }
    }

    private func record(_ response: OriginClient.Response) {
        switch response.metadata.status {
        case 200..<300: response.permit.recordSuccess()
        case 429:
            let permit = response.permit
            hosts.recordRefusal(by: permit.authority, of: permit.download, because: .tooManyRequests)
        default: break
        }
    }

    private func report(_ response: OriginClient.Response, of request: DownloadRequest) -> ProbeReport {
        let metadata = response.metadata
        let size = metadata.probedSize
        let validator = Validator(metadata, total: size)
        var report = ProbeReport(
            request,
            source: Download.Source(response, validator: validator, continuing: nil),
            sizeBytes: size,
            acceptsRanges: metadata.file == nil ? metadata.status != 200 : nil
        )
        let isEmptyFile = metadata.status == 416 && size == 0
        guard (200..<300).contains(metadata.status) || isEmptyFile || metadata.file != nil else {
            report.acceptsRanges = nil
            report.error = DownloadError(httpStatus: metadata.status)
            return report
        }
        report.error = metadata.refusal(of: request)
        guard let size, report.error == nil else { return report }
        if let expected = request.expected.sizeBytes, expected != size {
            let message = "The origin's file has \(size) bytes, not \(expected)."
            report.error = DownloadError(.sizeMismatch, message: message)
        } else if let limit = settings.maxBytes(of: request), size > limit {
            report.error = DownloadError(.tooLarge, message: "The file has \(size) bytes, more than \(limit).")
        }
        return report
    }

    private static func error(of interruption: AttemptInterruption) -> DownloadError {
        switch interruption {
        case .source(.failed(let failure)): failure.error
        case .source(.deferred(let wait)):
            DownloadError(.connectFailed, message: "\(wait.authority) accepts no further connection now.")
        case .unrecorded, .stopped, .lost: probeTimeout
        }
    }
}

extension OriginResponse {
    /// The size of the whole file, from the response to a request for its first byte; nil if unknown.
    fileprivate var probedSize: Int64? {
        if let file { return file.size }
        switch (status, contentRange.flatMap { ContentRange($0) }) {
        case (206, .bytes(_, _, let total)?): return total
        case (416, .unsatisfied(let total)?): return total
        case (200, _): return transferEncoding == nil ? contentLength : nil
        default: return nil
        }
    }
}
