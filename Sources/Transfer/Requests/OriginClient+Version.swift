import Core
import Curl
import Synchronization
import TransferRules

/// The HTTP version of a request.
///
/// With HTTP/2, requests share a connection, which suits hosts with small files (``HTTPVersionMemory``). All other
/// requests use HTTP/1.1, or HTTP/3 if the operator prefers it, with one connection each. Two reasons: libcurl reads no
/// stream of a connection while one stream waits for the disk or a rate limit, and several ranges over one connection
/// would share its rate.
extension OriginClient {
    /// A response in progress, and the time until its head arrived.
    struct OpenedExchange {
        let exchange: Exchange
        let permit: HostPermit
        let latency: Duration
    }

    /// Sends a request in the preferred HTTP version, and in the other version if that fails.
    ///
    /// - Parameter entry: The log entry of the request; at the end, the entry of the last repetition.
    func open(
        _ request: SentRequest,
        _ host: DownloadURL,
        _ options: RequestOptions,
        _ entry: inout LoggedRequest?
    ) async throws(AttemptInterruption) -> OpenedExchange {
        var version = version(for: request, to: host, options)
        var repetition = Repetition()
        while true {
            let began = time.elapsed
            let permit = try admit(host)
            if entry == nil { entry = log?.begin(host, request, options.method, at: time.now) }
            do throws(AttemptInterruption) {
                let exchange = try await start(request, to: host, permit, options, version)
                record(exchange.head.version, of: host, asked: version, permit)
                if repetition.isOffer, version == .negotiated, exchange.head.version == .http2 {
                    hosts.updateVersions(of: host.authority) { $0.recordAcceptedOffer(at: $1) }
                }
                guard isEndUnproven(exchange.head, of: host, options) else {
                    return OpenedExchange(exchange: exchange, permit: permit, latency: time.elapsed - began)
                }
                entry?.recordResponse(exchange.head, metadata(exchange.head, from: host, [host.host]))
                await exchange.discard()
                permit.recordSuccess()
                entry?.end(exchange.receivedBytes, RequestRecord.givenUp)
                version = .http1
            } catch {
                guard let next = otherVersion(after: error, version, host, options, &repetition) else {
                    permit.recordEnd(error)
                    throw error
                }
                entry?.end(error)
                version = next
            }
            entry = nil
        }
    }

    private func version(
        for request: SentRequest,
        to url: DownloadURL,
        _ options: RequestOptions
    ) -> TransferRequest.VersionPreference {
        guard url.scheme == "https" else { return .http1 }
        if hosts.needsHTTP2(url.authority) { return .negotiated }
        return mayShare(request, url, options) ? .negotiated : versionOfOwnConnection(to: url, options)
    }

    /// The version of a request on a connection of its own. A failed POST may have been processed, so it must not be
    /// repeated in another version.
    private func versionOfOwnConnection(
        to url: DownloadURL,
        _ options: RequestOptions
    ) -> TransferRequest.VersionPreference {
        let usesHTTP3 = settings.usesHTTP3 && CurlLibrary.hasHTTP3 && options.method == .get
        return usesHTTP3 && hosts.mayUseHTTP3(url.authority) ? .http3 : .http1
    }

    private func mayShare(_ request: SentRequest, _ url: DownloadURL, _ options: RequestOptions) -> Bool {
        // A failed POST may have been processed, so it must not be repeated (RFC 9110, section 9.2.2).
        guard request.range == nil, options.method == .get, !options.isDocument, !rate.isLimited(at: url.authority)
        else {
            return false
        }
        return hosts.mayShare(url.authority)
    }

    private func record(
        _ version: ResponseHead.Version,
        of url: DownloadURL,
        asked: TransferRequest.VersionPreference,
        _ permit: HostPermit
    ) {
        switch asked {
        case .negotiated:
            hosts.updateVersions(of: url.authority) { $0.recordResponse(isHTTP2: version == .http2, at: $1) }
        case .http3 where version == .http3: permit.isOverHTTP3.store(true, ordering: .relaxed)
        case .http3: hosts.updateVersions(of: url.authority) { $0.recordHTTP3Failure(at: $1) }
        case .http1: break
        }
    }

    /// Whether the end of the body has no proof over HTTP/2 or HTTP/3, but would have one over HTTP/1.1. libcurl
    /// reports an HTTP/2 stream as complete even if it was reset without an error (RFC 9113, section 8.1).
    private func isEndUnproven(_ head: ResponseHead, of url: DownloadURL, _ options: RequestOptions) -> Bool {
        guard head.version == .http2 || head.version == .http3, head.status == 200, head.contentLength == nil else {
            return false
        }
        return options.method == .get && !hosts.needsHTTP2(url.authority)
    }

    /// The immediate repetitions of a request.
    private struct Repetition {
        var faults = 0
        /// Whether HTTP/2 was offered because HTTP/1.1 got no response.
        var isOffer = false
    }

    /// The version for an immediate repetition of a failed request. HTTP/2 is tried once more, because a server may
    /// close a connection at any time (GOAWAY), then HTTP/1.1. If the host refuses HTTP/1.1, or ends its connections
    /// without a response, HTTP/2 is used. A request that preferred HTTP/3 is repeated in another version after any
    /// transient failure: the network may drop UDP.
    ///
    /// - Returns: nil if the request must not be repeated.
    private func otherVersion(
        after error: AttemptInterruption,
        _ version: TransferRequest.VersionPreference,
        _ url: DownloadURL,
        _ options: RequestOptions,
        _ repetition: inout Repetition
    ) -> TransferRequest.VersionPreference? {
        guard case .source(.failed(let failure)) = error, failure.retryAfter == nil else { return nil }
        let needsHTTP2 = hosts.needsHTTP2(url.authority)
        repetition.faults += 1
        let faults = repetition.faults
        switch version {
        case .negotiated where repetition.isOffer: return nil
        case .negotiated where failure.isFaultOfHTTP2(at: .header) && options.method == .get:
            guard faults <= 2 else { return nil }
            return faults == 1 || needsHTTP2 ? .negotiated : .http1
        case .http1:
            if needsHTTP2 && faults == 1 { return .negotiated }
            guard url.scheme == "https", options.method == .get, case .transient = failure.failureClass,
                failure.isWithoutResponse, !repetition.isOffer,
                hosts.mayOfferHTTP2(url.authority)
            else { return nil }
            repetition.isOffer = true
            return .negotiated
        case .negotiated: return nil
        case .http3:
            guard case .transient = failure.failureClass else { return nil }
            hosts.updateVersions(of: url.authority) { $0.recordHTTP3Failure(at: $1) }
            return needsHTTP2 ? .negotiated : .http1
        }
    }
}

extension OriginClient {
    /// How long a file waits for its Metalink document.
    private static let patience = Duration.seconds(5)

    /// Fetches the Metalink document of a file; nil if it is truncated, late, too large or invalid.
    func metalink(at url: DownloadURL) async -> Metalink? {
        await withTaskGroup(of: Metalink?.self) { group in
            group.addTask { await self.wholeMetalink(at: url) }
            group.addTask { [time] in
                try? await time.sleep(for: Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next().flatMap(\.self)
        }
    }

    private func wholeMetalink(at url: DownloadURL) async -> Metalink? {
        let limit = Metalink.maximumBytes
        let response = try? await send(url, for: SentRequest(), storedFrom: nil, posts: false)
        guard let response else { return nil }
        guard response.metadata.status == 200, response.metadata.contentLength ?? 0 <= Int64(limit) else {
            await response.discard()
            return nil
        }
        let body = MemoryBody(length: limit) { _ in }
        let ended = await response.exchange.result(into: body, nil)
        defer { response.entry?.end(response.exchange.receivedBytes, ended) }
        guard case .success = ended, let metalink = try? Metalink(parsing: body.bytes) else { return nil }
        if metalink.hasUnreadableDigest { response.entry?.recordDecision(.hashUnreadable) }
        return metalink
    }
}

extension RequestRecord.Decision {
    /// A Metalink document was used without an invalid digest in it.
    static let hashUnreadable = Self(.accept, reason: "hash_unreadable")
}
