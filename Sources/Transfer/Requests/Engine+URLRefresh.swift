import Core
import Curl
import HTTPFields
public import TransferRules

extension Engine {
    /// Requests a new URL once. Redirects are not followed, because the rules have not checked their targets.
    ///
    /// The destination rules of downloads apply to the request.
    ///
    /// - Parameters:
    ///   - log: Records the request; nil for no log.
    ///   - read: Parses the response body.
    public func requestRefreshedURL<Value: Sendable>(
        _ refresh: URLRefreshRequest,
        log: RequestLog?,
        read: @Sendable ([UInt8]) throws(TransferFailure) -> Value
    ) async -> URLRefreshResult<Value> {
        let now = time.now
        let entry = log?.begin(refresh.url, SentRequest(), .post, at: now)
        let reply: URLRefreshResult<[UInt8]>
        do throws(AttemptInterruption) {
            reply = try await send(refresh, entry, now: now)
        } catch {
            entry?.end(error)
            guard case .source(.failed(let failure)) = error else { return .stopped }
            return .failed(failure.ofURLRefresh)
        }
        switch reply {
        case .given(let document):
            do throws(TransferFailure) {
                let value = try read(document)
                entry?.recordDecision(RequestRecord.Decision(.newURL, reason: refresh.reason.rawValue))
                entry?.end(Int64(document.count))
                return .given(value)
            } catch {
                entry?.end(Int64(document.count), error.error.code.rawValue)
                return .failed(error)
            }
        case .noNewURL: return .noNewURL
        case .failed(let failure): return .failed(failure)
        case .stopped: return .stopped
        }
    }

    private func send(
        _ refresh: URLRefreshRequest,
        _ entry: LoggedRequest?,
        now: Timestamp
    ) async throws(AttemptInterruption) -> URLRefreshResult<[UInt8]> {
        let exchange = try await exchange(refresh)
        let head = exchange.head
        let response = OriginResponse(
            head,
            redirectedToNewHost: false,
            receivedAt: HTTPDate(secondsSinceEpoch: now.seconds)
        )
        entry?.recordResponse(head, response)
        guard head.status == 200, head.contentLength ?? 0 <= Int64(URLRefreshRules.maximumBytes) else {
            await exchange.discard()
            let reply = Self.reply(to: response, of: refresh.url)
            entry?.end(0, DownloadError.Code.linkRefreshFailed.rawValue)
            return reply
        }
        let body = MemoryBody(length: URLRefreshRules.maximumBytes) { _ in }
        do {
            _ = try await exchange.receive(into: body)
        } catch {
            if error.code == .aborted { throw .stopped }
            if error.code == .sinkStopped { throw .failed(.urlRefresh("sent a response that is too long")) }
            throw .failed(TransferFailure(error, stage: .body))
        }
        return .given(body.bytes)
    }

    private func exchange(_ refresh: URLRefreshRequest) async throws(AttemptInterruption) -> Exchange {
        guard var request = TransferRequest(to: refresh.url) else {
            throw .failed(.urlRefresh("cannot be requested: its URL is not valid"))
        }
        request.method = .post(body: refresh.body)
        request.headers =
            [
                HeaderField("Content-Type", "application/json"),
                HeaderField("Accept", "application/json"),
                HeaderField("User-Agent", settings.userAgent),
            ] + refresh.signature.map { HeaderField($0.name, $0.value) }
        request.connectTimeout = min(request.connectTimeout, settings.urlRefreshTimeout)
        request.headTimeout = settings.urlRefreshTimeout
        request.totalTimeout = settings.urlRefreshTimeout
        request.setCertificates(settings)
        request.receiveBufferBytes = 16 << 10
        request.gatherBytes = { 16 << 10 }
        let route = try settings.route(for: request, choice: nil)
        request.setRoute(route, settings.destinations)
        let exchange: Exchange
        do {
            exchange = try await loop(for: refresh.url.authority).start(request)
        } catch {
            if error.code == .aborted { throw .stopped }
            throw .failed(
                TransferFailure(error, route) ?? TransferFailure(
                    hiding: error,
                    host: refresh.url.host,
                    isChecked: false
                )
                    ?? TransferFailure(error, stage: .header)
            )
        }
        guard let failure = TransferFailure(exchange.head, route) else { return exchange }
        await exchange.discard()
        throw .failed(failure)
    }

    /// Maps a response without a document to a result.
    private static func reply(to response: OriginResponse, of url: DownloadURL) -> URLRefreshResult<[UInt8]> {
        guard response.status != 200 else { return .failed(.urlRefresh("sent a response without a URL")) }
        guard let failureClass = URLRefreshRules.failureClass(status: response.status) else { return .noNewURL }
        return .failed(
            TransferFailure(
                DownloadError(
                    .linkRefreshFailed,
                    message: "The link was refused, and \"refresh_url\" answered with status \(response.status).",
                    httpStatus: response.status
                ),
                failureClass: failureClass,
                retryAfter: response.retryAfter.flatMap {
                    RetryAfter(
                        $0,
                        responseDate: response.date.flatMap { HTTPDate($0, now: response.receivedAt) },
                        now: response.receivedAt
                    )
                },
                authority: url.authority
            )
        )
    }
}

extension TransferFailure {
    /// The origin refused the URL, and `refresh_url` supplied no usable one.
    public static func urlRefresh(_ what: String) -> Self {
        Self(DownloadError(.linkRefreshFailed, message: "The link was refused, and \"refresh_url\" \(what)."))
    }

    /// Maps a failure of a `refresh_url` request, so that the message does not blame the origin.
    fileprivate var ofURLRefresh: Self {
        guard error.code != .linkRefreshFailed else { return self }
        if error.code == .destinationForbidden {
            return Self(
                DownloadError(
                    .destinationForbidden,
                    message: "The link was refused, and the address of \"refresh_url\" is not allowed."
                )
            )
        }
        let isLasting = failureClass == .permanent || failureClass == .credentials
        var failure = Self(
            DownloadError(
                .linkRefreshFailed,
                message: "The link was refused, and \"refresh_url\" could not be asked: \(error.message)",
                httpStatus: error.httpStatus,
                curlCode: error.curlCode
            ),
            failureClass: isLasting ? .transient(.retries(2)) : failureClass
        )
        failure.cause = cause
        return failure
    }
}

/// The result of a request to `refresh_url`.
public enum URLRefreshResult<Value: Sendable>: Sendable {
    /// The value parsed from the response.
    case given(Value)
    /// `refresh_url` has no other URL, or was not requested. The original failure applies.
    case noNewURL
    case failed(TransferFailure)
    /// The task was cancelled.
    case stopped
}
