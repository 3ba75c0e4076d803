import Core
import Crypto
import HTTPFields
import HTTPServer
import HTTPTypes
import Logging
import Synchronization

/// Checks who may use the API, by the `Host` field and the token.
struct AccessGuard: Sendable {
    /// The caller of a service without a token.
    static let anyone = "local"

    private let hosts: Set<String>?
    private let tokenDigest: SHA256.Digest?
    private let authFailures = AuthFailureLimiter()
    private let wrongTokens: WrongTokenLog
    private let time: TimeSource
    /// The caller of an accepted request.
    let caller: String

    /// - Parameters:
    ///   - hosts: The names that `Host` may have, without a port; nil for any.
    ///   - token: nil if every user of this machine may use the API.
    init(hosts: [String]?, token: String?, time: TimeSource, logger: Logger) {
        wrongTokens = WrongTokenLog(logger)
        self.hosts = hosts.map { Set($0.map(\.lowercasedASCII)) }
        self.time = time
        tokenDigest = token.map { SHA256.hash(data: Array($0.utf8)) }
        caller = token == nil ? Self.anyone : "token"
    }

    var needsToken: Bool { tokenDigest != nil }

    /// A fingerprint of the token, which does not reveal it.
    var grant: [UInt8] { tokenDigest.map { Array($0.prefix(16)) } ?? [] }

    /// Prevents DNS rebinding: a web page cannot reach the service through a domain name of its own.
    func checkHost(_ head: ServerRequest.Head) throws(Problem) {
        guard let hosts else { return }
        guard let host = head.host, hosts.contains(host) || hosts.contains(Self.canonicalAddress(host)) else {
            throw Problem(
                .hostNotAllowed,
                "The service does not serve this host name. The setting public_hosts adds names."
            )
        }
    }

    /// An IP address in canonical form (RFC 5952); any other text as it is.
    private static func canonicalAddress(_ host: String) -> String { IPAddress(host)?.description ?? host }

    /// - Returns: The name of the caller.
    func authenticate(_ head: ServerRequest.Head) throws(Problem) -> String {
        guard let tokenDigest else {
            try refuseProxied(head)
            return caller
        }
        let given = head.headerFields[.authorization].flatMap(Self.bearerToken)
        guard let given else { throw Self.unauthenticated(Self.challenge) }
        // The digests have equal length and are compared in constant time, whatever the client sent.
        guard SHA256.hash(data: Array(given.utf8)) == tokenDigest else {
            throw wrongToken(
                from: head,
                Self.unauthenticated("\(Self.challenge), error=\"invalid_token\"")
            )
        }
        return caller
    }

    /// Counts a token or a ticket that the service did not issue.
    ///
    /// - Returns: `problem`, or `tooManyWrongTokens` if the address has exceeded its limit.
    func wrongToken(from head: ServerRequest.Head, _ problem: Problem) -> Problem {
        wrongTokens.record(from: head.remoteAddress, elapsed: time.elapsed)
        guard let seconds = authFailures.add(from: head.remoteAddress, elapsed: time.elapsed) else { return problem }
        return Problem(.tooManyWrongTokens, "Too many wrong tokens came from this address.")
            .retryAfter(seconds).with(.connection, "close")
    }

    /// Refuses proxied requests: without a token only this machine may use the API, and a proxy would let others in.
    ///
    /// HTTP/1.0 counts as proxied: by default older versions of nginx use it for their upstream and add no field.
    private func refuseProxied(_ head: ServerRequest.Head) throws(Problem) {
        guard !head.isHTTP10, !ProxyFields.areIn(head.headerFields) else {
            let detail =
                "A request over HTTP/1.0 or through a proxy needs a token. The service has none."
            throw Problem(.unauthenticated, detail).with(.wwwAuthenticate, Self.challenge)
        }
    }

    /// Has no error code: only the response to a request with a token has one (RFC 6750, section 3.1).
    static let challenge = "Bearer realm=\"cormorant\""

    private static func unauthenticated(_ challenge: String) -> Problem {
        Problem(.unauthenticated, "Send the token as 'Authorization: Bearer …'.").with(.wwwAuthenticate, challenge)
    }

    private static func bearerToken(_ field: String) -> String? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercasedASCII == "bearer" else { return nil }
        return String(parts[1].drop { $0 == " " })
    }
}

/// Limits wrong tokens by address: ten at once, and then one every six seconds.
///
/// It affects only the response to a wrong token. A correct token always passes, because many users may share an
/// address.
final class AuthFailureLimiter: Sendable {
    private static let burst: Int64 = 10
    private static let interval: Int64 = 6000
    /// The maximum number of remembered networks. A limit per address does not stop an attacker who has more addresses.
    private static let capacity = 4096

    /// By network, the time at which all its wrong tokens are forgotten, in milliseconds of the monotonic clock. Each
    /// wrong token adds one interval.
    private let forgotten = Mutex<[String: Int64]>([:])

    /// The number of remembered networks.
    var count: Int { forgotten.withLock { $0.count } }

    /// Counts a wrong token.
    ///
    /// - Parameter elapsed: The elapsed time of the monotonic clock.
    /// - Returns: Seconds until a wrong token is within the limit again; nil if this one is within the limit.
    func add(from address: String, elapsed: Duration) -> Int? {
        let network = Self.network(of: address)
        return forgotten.withLock { forgotten in
            let now = elapsed.wholeMilliseconds
            let until = max(forgotten[network] ?? now, now)
            let excess = until - now - (Self.burst - 1) * Self.interval
            guard excess <= 0 else { return Int((excess + 999) / 1000) }
            if forgotten.count >= Self.capacity { Self.makeRoom(&forgotten, now) }
            forgotten[network] = until + Self.interval
            return nil
        }
    }

    private static func makeRoom(_ forgotten: inout [String: Int64], _ now: Int64) {
        forgotten = forgotten.filter { $0.value > now }
        if forgotten.count >= capacity { forgotten = [:] }
    }

    /// An IPv6 client controls its whole /64 (RFC 4291, section 2.5.1).
    private static func network(of address: String) -> String {
        guard case .v6(let number)? = IPAddress(address) else { return address }
        return String(number >> 64, radix: 16)
    }
}
