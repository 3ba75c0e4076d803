import Crypto
import HTTPTypes
import MicroHTTP
import Model
import Wire

/// Who may ask at all: the names that the service answers to, and the token.
struct AccessGuard: Sendable {
    /// Who asks where no token is needed.
    static let anyone = "local"

    private let hosts: Set<String>?
    private let tokenDigest: SHA256.Digest?
    private let wrongTokens = WrongTokens()
    private let time: TimeSource
    /// Who asks, where it may.
    let caller: String

    /// - Parameters:
    ///   - hosts: The names that `Host` may have, without a port; nil for any.
    ///   - token: nil where everyone on this machine may ask.
    init(hosts: [String]?, token: String?, time: TimeSource) {
        self.hosts = hosts.map { Set($0.map(\.lowercasedASCII)) }
        self.time = time
        tokenDigest = token.map { SHA256.hash(data: Array($0.utf8)) }
        caller = token == nil ? Self.anyone : "token"
    }

    var needsToken: Bool { tokenDigest != nil }

    /// What the token is known by to those who keep something for it. It tells nothing of the token.
    var grant: [UInt8] { tokenDigest.map { Array($0.prefix(16)) } ?? [] }

    /// A web page that points a name of its own at this machine must not reach the service with it.
    func checkHost(_ head: ServerRequest.Head) throws(Problem) {
        guard let hosts else { return }
        // IPv6 in its one canonical form (RFC 5952).
        guard let host = head.host, hosts.contains(IPAddress(host)?.description ?? host) else {
            throw Problem(.hostNotAllowed, "The service does not answer to this name.")
        }
    }

    /// - Returns: The name of the caller.
    func authenticate(_ head: ServerRequest.Head) throws(Problem) -> String {
        guard let tokenDigest else {
            try refuseProxied(head)
            return caller
        }
        let given = head.headerFields[.authorization].flatMap(Self.bearerToken)
        guard let given else { throw Self.unauthenticated(Self.challenge) }
        // Digests of equal length are compared in constant time, whatever was given.
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
    /// - Returns: What is answered: `problem`, or that it is one too many.
    func wrongToken(from head: ServerRequest.Head, _ problem: Problem) -> Problem {
        guard let seconds = wrongTokens.add(from: head.remoteAddress, elapsed: time.elapsed) else { return problem }
        return Problem(.tooManyWrongTokens, "Too many wrong tokens came from this address.")
            .retryAfter(seconds).with(.connection, "close")
    }

    /// Without a token only this machine may ask, and a proxy would let the world in.
    ///
    /// By default older versions of nginx speak HTTP/1.0 to their upstream and add no field of their own.
    private func refuseProxied(_ head: ServerRequest.Head) throws(Problem) {
        guard !head.isHTTP10, !ProxyFields.areIn(head.headerFields) else {
            let detail =
                "A request over HTTP/1.0, or with a field that proxies add, needs a token; the service has none."
            throw Problem(.unauthenticated, detail).with(.wwwAuthenticate, Self.challenge)
        }
    }

    /// An error is told to those alone who showed a token (RFC 6750, section 3.1).
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
