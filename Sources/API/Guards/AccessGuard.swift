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
    /// Who asks, where it may.
    let caller: String

    /// - Parameters:
    ///   - hosts: The names that `Host` may have, without a port; nil for any.
    ///   - token: nil where everyone on this machine may ask.
    init(hosts: [String]?, token: String?) {
        self.hosts = hosts.map { Set($0.map { $0.lowercased() }) }
        tokenDigest = token.map { SHA256.hash(data: Array($0.utf8)) }
        caller = token == nil ? Self.anyone : "token"
    }

    var needsToken: Bool { tokenDigest != nil }

    /// What the token is known by to those who keep something for it. It tells nothing of the token.
    var grant: [UInt8] { tokenDigest.map { Array($0.prefix(16)) } ?? [] }

    /// A web page that points a name of its own at this machine must not reach the service with it.
    func checkHost(_ request: ServerRequest) throws(Problem) {
        guard let hosts else { return }
        guard let authority = request.authority, hosts.contains(Self.host(of: authority)) else {
            throw Problem(.hostNotAllowed, "The service does not answer to this name.")
        }
    }

    /// - Returns: Who asks.
    func authenticate(_ request: ServerRequest) throws(Problem) -> String {
        guard let tokenDigest else {
            try refuseForwarded(request.headerFields)
            return caller
        }
        let given = request.headerFields[.authorization].flatMap(Self.bearerToken)
        guard let given else { throw Self.unauthenticated(Self.challenge) }
        // Digests of equal length are compared in constant time, whatever was given.
        guard SHA256.hash(data: Array(given.utf8)) == tokenDigest else {
            throw Self.unauthenticated("\(Self.challenge), error=\"invalid_token\"")
        }
        return caller
    }

    /// Without a token only this machine may ask, and a proxy would let the world in.
    private func refuseForwarded(_ fields: HTTPFields) throws(Problem) {
        let isForwarded = fields.contains { field in
            let name = field.name.canonicalName
            return name == "forwarded" || name == "via" || name.hasPrefix("x-forwarded-")
        }
        guard !isForwarded else {
            throw Problem(.unauthenticated, "A request that came through a proxy needs a token; the service has none.")
                .with(.wwwAuthenticate, Self.challenge)
        }
    }

    /// An error is told to those alone who showed a token (RFC 6750, section 3.1).
    static let challenge = "Bearer realm=\"cormorant\""

    private static func unauthenticated(_ challenge: String) -> Problem {
        Problem(.unauthenticated, "Send the token as 'Authorization: Bearer …'.").with(.wwwAuthenticate, challenge)
    }

    private static func bearerToken(_ field: String) -> String? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1].drop { $0 == " " })
    }

    /// `Host` without its port, IPv6 without brackets and in its one canonical form (RFC 5952).
    private static func host(of authority: String) -> String {
        let lowered = authority.lowercased()
        if lowered.hasPrefix("[") {
            let text = String(lowered.dropFirst().prefix { $0 != "]" })
            return IPAddress(text)?.description ?? text
        }
        return String(lowered.prefix { $0 != ":" })
    }
}
