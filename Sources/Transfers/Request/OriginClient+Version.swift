import Curl
import Model

/// The version of HTTP that a request is made in.
///
/// Over HTTP/2 requests share a connection, which suits small files. What shares one must not wait for the disk or for
/// a limit on its rate: meanwhile libcurl would read for nobody else. Nor may its length be unknown: libcurl takes a
/// stream that was reset without an error for one that has ended (RFC 9113, section 8.1 allows that reset after the
/// end alone). So all of that gets connections of its own, over HTTP/1.1.
extension OriginClient {
    /// A longer body goes to the disk while it comes.
    private static let longestShared = Attempt.smallBytes

    /// An answer in progress, and how long its head took.
    struct Reply {
        let exchange: Exchange
        let pass: HostPass
        let latency: Duration
    }

    /// Sends a request in the version that suits it, and in the other where that turns out not to.
    ///
    /// - Parameter entry: The request's in the account; that of its last repetition in the end.
    func converse(
        _ asked: RequestAsked,
        _ url: ParsedURL,
        _ call: Call,
        _ entry: inout LoggedRequest?
    ) async throws(AttemptInterruption) -> Reply {
        let host = SourceURL(url)
        var choice = VersionChoice(version(for: asked, to: host))
        while true {
            let began = time.elapsed
            let pass = try admit(host)
            if entry == nil { entry = log?.begin(host, asked, call.method, at: time.now) }
            do throws(AttemptInterruption) {
                let exchange = try await send(asked, to: url, pass, call, choice.version)
                let isShared = exchange.head.version == .http2
                if choice.wasRefusedHTTP1, isShared {
                    hosts.noteVersions(of: host.authority) { $0.noteRefusalOfHTTP1(at: $1) }
                }
                guard isShared, !choice.wasRefusedHTTP1, isTooMuchToShare(exchange.head),
                    !hosts.versions(of: host.authority).needsHTTP2
                else {
                    return Reply(exchange: exchange, pass: pass, latency: time.elapsed - began)
                }
                await exchange.discard()
                entry?.end(exchange.receivedBytes, RequestRecord.givenUp)
                choice.version = .http1
            } catch {
                guard choice.takesOther(after: error, call.method) else { throw error }
                entry?.end(error)
            }
            entry = nil
        }
    }

    private func version(for asked: RequestAsked, to url: SourceURL) -> TransferRequest.VersionPreference {
        guard url.scheme == "https" else { return .http1 }
        let known = hosts.versions(of: url.authority)
        if known.needsHTTP2 { return .negotiated }
        return known.avoidsHTTP2 || asked.range != nil || rate.isLimited ? .http1 : .negotiated
    }

    private func isTooMuchToShare(_ head: ResponseHead) -> Bool {
        guard head.status == 200 || head.status == 206 else { return false }
        return head.contentLength.map { $0 > Self.longestShared } ?? true
    }
}

/// In which version a request is made, and what was tried before.
private struct VersionChoice {
    var version: TransferRequest.VersionPreference
    /// Whether TLS did not come about for HTTP/1.1.
    private(set) var wasRefusedHTTP1 = false
    private var faults = 0

    init(_ version: TransferRequest.VersionPreference) {
        self.version = version
    }

    /// Whether the request is to be made again at once: over HTTP/2 once more, since a server may say goodbye to a
    /// connection at any time, and then over HTTP/1.1; or over HTTP/2 where HTTP/1.1 is not agreed on.
    mutating func takesOther(after error: AttemptInterruption, _ method: RequestMethod) -> Bool {
        guard case .failed(let failure, _) = error, failure.retryAfter == nil else { return false }
        switch version {
        // Whether a request was looked at is not told, so that it must be one that may be repeated (RFC 9110, 9.2.2).
        case .negotiated where failure.isFaultOfHTTP2(at: .header) && method == .get && !wasRefusedHTTP1:
            faults += 1
            if faults > 1 { version = .http1 }
            return faults <= 2
        // CURLE_SSL_CONNECT_ERROR.
        case .http1 where failure.error.transportCode == 35 && faults == 0:
            wasRefusedHTTP1 = true
            version = .negotiated
            return true
        case .negotiated, .http1: return false
        }
    }
}
