public import Core
import Curl
import Synchronization
import TransferRules

/// The log of a download's requests. New entries are recorded with the next checkpoint or outcome.
///
/// The connections of an attempt write it; the checkpoint sink records its new entries.
public final class RequestLog: Sendable {
    fileprivate struct State {
        var last: Int
        /// Those under way.
        var open: [Int: (record: RequestRecord, began: Duration)] = [:]
        /// Those of which something is not recorded.
        var changed: [Int: RequestRecord] = [:]
    }

    private let run: Int
    private let attempt: Int
    private let time: TimeSource
    private let state: Mutex<State>

    /// - Parameter last: The number of the last request that is recorded of the download; 0 where none is.
    public init(_ download: Download, after last: Int, time: TimeSource) {
        self.time = time
        run = download.run
        attempt = download.attempts.count
        state = Mutex(State(last: last))
    }

    /// Removes and returns the entries to record.
    ///
    /// - Parameter isWhole: Whether the file is whole. Then nothing is recorded if the very first request fetched it
    ///   without a redirect.
    public func removePending(isWhole: Bool = false) -> [RequestRecord] {
        state.withLock { state in
            if isWhole, state.last == 1, state.changed[1]?.isPlain == true { return [] }
            defer { state.changed = [:] }
            return state.changed.values.sorted { $0.number < $1.number }
        }
    }

    /// Gives back what could not be recorded.
    public func restore(_ records: [RequestRecord]) {
        state.withLock { state in
            for record in records where state.changed[record.number] == nil { state.changed[record.number] = record }
            state.bound()
        }
    }

    /// Enters a request that is about to be sent.
    func begin(_ url: DownloadURL, _ request: SentRequest, _ method: RequestMethod, at now: Timestamp) -> LoggedRequest
    {
        let began = time.elapsed
        let number = state.withLock { state in
            state.last += 1
            var record = RequestRecord(
                number: state.last,
                run: run,
                attempt: attempt,
                at: now,
                method: method,
                url: RedactedURL(url.text).text
            )
            record.first = request.range?.first
            record.last = request.range?.last
            state.open[record.number] = (record, began)
            state.changed[record.number] = record
            state.bound()
            return record.number
        }
        return LoggedRequest(log: self, number: number)
    }

    /// Changes the entry of a request that is under way; what comes after its end is no news.
    ///
    /// - Parameter change: Gets the time that the request has taken so far.
    func update(_ number: Int, _ change: (inout RequestRecord, Duration) -> Void) {
        let now = time.elapsed
        state.withLock { state in
            guard let open = state.open[number] else { return }
            var record = open.record
            change(&record, now - open.began)
            state.open[number] = record.end == nil ? (record, open.began) : nil
            state.changed[number] = record
        }
    }
}

extension RequestLog.State {
    /// Of more than are kept the oldest need not be recorded.
    mutating func bound() {
        while changed.count > RequestRecord.maxStored, let oldest = changed.keys.min() { changed[oldest] = nil }
    }
}

/// An entry of the request log. Updates after its end are ignored.
struct LoggedRequest: Sendable {
    let log: RequestLog
    let number: Int

    /// Longer field values are cut: an origin may send much.
    private static let longestField = 256

    func follow(to url: DownloadURL, _ method: RequestMethod) {
        log.update(number) { record, _ in
            record.method = method
            record.url = RedactedURL(url.text).text
            record.redirects += 1
        }
    }

    func recordResponse(_ head: ResponseHead, _ metadata: OriginResponse) {
        let response = RequestRecord.Response(
            status: metadata.status,
            httpVersion: head.version.text,
            etag: metadata.etag.map(Self.cut),
            lastModified: metadata.lastModified.map(Self.cut),
            contentRange: metadata.contentRange.map(Self.cut),
            contentLength: metadata.contentLength,
            remoteAddress: head.remoteAddress?.host
        )
        log.update(number) { record, _ in record.response = response }
    }

    /// Records the decision; without a body that is the end.
    func recordDecision(_ decision: ResponseDecision) {
        log.update(number) { record, duration in
            record.decision = decision.recordedDecision
            if !decision.acceptsBody { record.end = RequestRecord.End(receivedBytes: 0, duration: duration) }
        }
    }

    func recordDecision(_ decision: RequestRecord.Decision) {
        log.update(number) { record, _ in record.decision = decision }
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

    /// Records that no usable response came.
    func end(_ interruption: AttemptInterruption) {
        guard case .failed(let failure) = interruption else { return end(0, RequestRecord.givenUp) }
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
