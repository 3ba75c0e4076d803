public import Core
import Curl
import Synchronization
import TransferRules

// `@inline(never)` keeps large values out of the frames that wait: see `Attempt`.

/// The log of a download's requests. New entries are recorded with the next checkpoint or outcome.
///
/// The connections of an attempt write to it. The checkpoint sink records the new entries.
public final class RequestLog: Sendable {
    fileprivate struct State {
        var last: Int
        /// The requests in progress: one for each connection, so they are few.
        var open: [(record: RequestRecord, began: Duration)] = []
        /// The entries with unrecorded changes.
        var changed: [Int: RequestRecord] = [:]
    }

    private let run: Int
    private let attempt: Int
    private let time: TimeSource
    private let state: Mutex<State>

    /// - Parameter last: The number of the download's last recorded request; 0 if there is none.
    public init(_ download: Download, after last: Int, time: TimeSource) {
        self.time = time
        run = download.run
        attempt = download.attempts.count
        state = Mutex(State(last: last))
    }

    /// Removes and returns the entries to record.
    ///
    /// - Parameter isWhole: Whether the file is complete. If the first request fetched it without a redirect, nothing
    ///   is recorded.
    public func removePending(isWhole: Bool = false) -> [RequestRecord] {
        state.withLock { state in
            if isWhole, state.last == 1, state.changed[1]?.isPlain == true { return [] }
            defer { state.changed = [:] }
            return state.changed.values.sorted { $0.number < $1.number }
        }
    }

    /// Restores entries that could not be recorded.
    public func restore(_ records: [RequestRecord]) {
        state.withLock { state in
            for record in records where state.changed[record.number] == nil { state.changed[record.number] = record }
            state.bound()
        }
    }

    /// Adds a request that is about to be sent.
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
            state.open.append((record, began))
            state.changed[record.number] = record
            state.bound()
            return record.number
        }
        return LoggedRequest(log: self, number: number)
    }

    /// Changes the entry of a request in progress. Changes after its end are ignored.
    ///
    /// - Parameter change: Receives the entry and the duration of the request so far.
    func update(_ number: Int, _ change: (inout RequestRecord, Duration) -> Void) {
        let now = time.elapsed
        state.withLock { state in
            guard let index = state.open.firstIndex(where: { $0.record.number == number }) else { return }
            change(&state.open[index].record, now - state.open[index].began)
            let record = state.open[index].record
            if record.end != nil { state.open.remove(at: index) }
            state.changed[number] = record
        }
    }
}

extension RequestLog.State {
    /// Drops the oldest entries above the stored maximum.
    mutating func bound() {
        while changed.count > RequestRecord.maxStored, let oldest = changed.keys.min() { changed[oldest] = nil }
    }
}

/// One entry of the request log. Changes after its end are ignored.
struct LoggedRequest: Sendable {
    let log: RequestLog
    let number: Int

    /// Longer field values are truncated: an origin may send very long ones.
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

    /// Records the decision. If it rejects the body, the request ends here.
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
            // The rest of the body was not needed.
            case .sinkStopped: end(receivedBytes)
            case .aborted: end(receivedBytes, RequestRecord.givenUp)
            default:
                let failure = TransferFailure(error, stage: .body).error
                end(receivedBytes, failure.code.rawValue, failure.curlCode)
            }
        }
    }

    /// Records that no usable response arrived.
    func end(_ interruption: AttemptInterruption) {
        guard case .source(.failed(let failure)) = interruption else { return end(0, RequestRecord.givenUp) }
        end(0, failure.error.code.rawValue, failure.error.curlCode)
    }

    @inline(never)
    func end(_ receivedBytes: Int64, _ error: String? = nil, _ curlCode: Int? = nil) {
        log.update(number) { record, duration in
            record.end = RequestRecord.End(
                receivedBytes: receivedBytes,
                duration: duration,
                error: error,
                curlCode: curlCode
            )
        }
    }

    private static func cut(_ text: String) -> String { String(text.prefix(longestField)) }
}
