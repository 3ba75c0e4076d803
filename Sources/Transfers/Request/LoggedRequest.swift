import Curl
import Model

/// A request's place in the account of its download. What is told of it after its end is passed over.
struct LoggedRequest: Sendable {
    let log: RequestLog
    let number: Int

    /// Longer field values are cut: an origin may send much.
    private static let longestField = 256

    func follow(to url: SourceURL, _ method: RequestMethod) {
        log.update(number) { record, _ in
            record.method = method
            record.url = RedactedURL(url.text).text
            record.redirects += 1
        }
    }

    func answer(_ head: ResponseHead, _ response: OriginResponse) {
        let answer = RequestRecord.Answer(
            status: response.status,
            httpVersion: head.version.text,
            etag: response.etag.map(Self.cut),
            lastModified: response.lastModified.map(Self.cut),
            contentRange: response.contentRange.map(Self.cut),
            contentLength: response.contentLength,
            remoteAddress: head.remoteAddress?.host
        )
        log.update(number) { record, _ in record.answer = answer }
    }

    /// Notes what was decided; without a body that is the end.
    func judge(_ decision: GateDecision) {
        log.update(number) { record, duration in
            record.verdict = decision.verdict
            if !decision.takesBody { record.end = RequestRecord.End(receivedBytes: 0, duration: duration) }
        }
    }

    func judge(_ verdict: RequestRecord.Verdict) {
        log.update(number) { record, _ in record.verdict = verdict }
    }

    func end(_ receivedBytes: Int64, _ ended: Result<TransferEnd, CurlError>) {
        switch ended {
        case .success: end(receivedBytes)
        case .failure(let error):
            switch error.code {
            // The body was wanted no further.
            case .sinkStopped: end(receivedBytes)
            case .aborted: end(receivedBytes, RequestRecord.givenUp)
            default:
                let failure = TransferFailure(error, stage: .body).error
                end(receivedBytes, failure.code.rawValue, failure.transportCode)
            }
        }
    }

    /// Notes that no answer came, or none that could be used.
    func end(_ interruption: AttemptInterruption) {
        guard case .failed(let failure, _) = interruption else { return end(0, RequestRecord.givenUp) }
        end(0, failure.error.code.rawValue, failure.error.transportCode)
    }

    func end(_ receivedBytes: Int64, _ error: String? = nil, _ transportCode: Int? = nil) {
        log.update(number) { record, duration in
            record.end = RequestRecord.End(
                receivedBytes: receivedBytes,
                duration: duration,
                error: error,
                transportCode: transportCode
            )
        }
    }

    private static func cut(_ text: String) -> String { String(text.prefix(longestField)) }
}
