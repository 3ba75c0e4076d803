import Core
import Curl
import TransferRules

/// The version of HTTP that a request is made in.
///
/// Over HTTP/2 requests share a connection, which suits a host of small files (``HTTPVersionMemory``). All others have
/// one of their own, over HTTP/1.1: libcurl reads for nobody else on a connection while one of its streams waits, for
/// the disk or for a limit on its rate, and several ranges of a file over one connection would share its rate.
extension OriginClient {
    /// An answer in progress, and how long its head took.
    struct OpenedExchange {
        let exchange: Exchange
        let permit: HostPermit
        let latency: Duration
    }

    /// Sends a request in the version that suits it, and in the other where that turns out not to.
    ///
    /// - Parameter entry: The request's in the account; that of its last repetition in the end.
    func open(
        _ request: SentRequest,
        _ url: ParsedURL,
        _ options: RequestOptions,
        _ entry: inout LoggedRequest?
    ) async throws(AttemptInterruption) -> OpenedExchange {
        let host = SourceURL(url)
        var version = version(for: request, to: host, options)
        var faults = 0
        while true {
            let began = time.elapsed
            let permit = try admit(host)
            if entry == nil { entry = log?.begin(host, request, options.method, at: time.now) }
            do throws(AttemptInterruption) {
                let exchange = try await start(request, to: url, permit, options, version)
                if version == .negotiated { record(exchange.head.version, of: host) }
                guard isEndUnproven(exchange.head, of: host, options) else {
                    return OpenedExchange(exchange: exchange, permit: permit, latency: time.elapsed - began)
                }
                entry?.recordResponse(exchange.head, metadata(exchange.head, from: host, [host.host]))
                await exchange.discard()
                permit.recordSuccess()
                entry?.end(exchange.receivedBytes, RequestRecord.givenUp)
                version = .http1
            } catch {
                guard let next = otherVersion(after: error, version, host, options, faults: &faults) else {
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
        to url: SourceURL,
        _ options: RequestOptions
    ) -> TransferRequest.VersionPreference {
        guard url.scheme == "https" else { return .http1 }
        if hosts.needsHTTP2(url.authority) { return .negotiated }
        // Whether a POST was looked at that failed nobody says, so that it could not be repeated (RFC 9110, 9.2.2).
        guard request.range == nil, options.method == .get, !options.isDocument, !rate.isLimited(at: url.authority)
        else {
            return .http1
        }
        return hosts.mayShare(url.authority) ? .negotiated : .http1
    }

    private func record(_ version: ResponseHead.Version, of url: SourceURL) {
        hosts.updateVersions(of: url.authority) { $0.recordResponse(isHTTP2: version == .http2, at: $1) }
    }

    /// Whether it would not be known in the end whether the body was whole, and over HTTP/1.1 it would: libcurl takes a
    /// stream that was reset without an error for one that has ended, though such a reset may come after the end alone
    /// (RFC 9113, section 8.1).
    private func isEndUnproven(_ head: ResponseHead, of url: SourceURL, _ options: RequestOptions) -> Bool {
        guard head.version == .http2, head.status == 200, head.contentLength == nil else { return false }
        return options.method == .get && !hosts.needsHTTP2(url.authority)
    }

    /// The version in which a request is to be made again at once: in HTTP/2 once more, since a server may say goodbye
    /// to a connection at any time, and then in HTTP/1.1; or in HTTP/2 where HTTP/1.1 is not agreed on.
    ///
    /// - Returns: Nil where it is not.
    private func otherVersion(
        after error: AttemptInterruption,
        _ version: TransferRequest.VersionPreference,
        _ url: SourceURL,
        _ options: RequestOptions,
        faults: inout Int
    ) -> TransferRequest.VersionPreference? {
        guard case .failed(let failure) = error, failure.retryAfter == nil else { return nil }
        let needsHTTP2 = hosts.needsHTTP2(url.authority)
        faults += 1
        switch version {
        case .negotiated where failure.isFaultOfHTTP2(at: .header) && options.method == .get:
            guard faults <= 2 else { return nil }
            return faults == 1 || needsHTTP2 ? .negotiated : .http1
        case .http1: return needsHTTP2 && faults == 1 ? .negotiated : nil
        case .negotiated: return nil
        }
    }
}

extension OriginClient {
    /// How long a document is waited for while a file waits for it.
    private static let patience = Duration.seconds(5)

    /// What a Metalink document beside a file says; nil where it does not come whole, in time and within the limit, or
    /// is none.
    func metalink(at url: SourceURL) async -> Metalink? {
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

    private func wholeMetalink(at url: SourceURL) async -> Metalink? {
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
    /// A Metalink document was taken, and a digest in it that is none was passed over.
    static let hashUnreadable = Self(.accept, reason: "hash_unreadable")
}
