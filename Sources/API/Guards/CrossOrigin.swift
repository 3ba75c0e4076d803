import Core
import HTTPFields
import HTTPServer
import HTTPTypes

/// Decides which web pages may use the API from a browser (Fetch standard, "CORS protocol"): those of the listed
/// origins, compared exactly, or all. Credentials are never allowed, because the API uses no cookies.
struct CrossOrigin: Sendable {
    private let origins: Set<String>
    private let allowsAny: Bool

    /// - Parameter origins: In the form that browsers send in `Origin`; `*` allows any origin.
    init(origins: [String]) {
        self.origins = Set(origins)
        allowsAny = origins.contains("*")
    }

    var isOff: Bool { origins.isEmpty }

    /// Refuses requests that a page of another site made a browser send. Without a token they look like requests of a
    /// user or program of this machine.
    ///
    /// Browsers send `Origin` with every request except a plain GET (Fetch standard, "append a request Origin header"),
    /// and `Sec-Fetch-Site` with every request (Fetch Metadata). Other programs send neither.
    func checkSite(of head: ServerRequest.Head) throws(Problem) {
        guard !allowsAny else { return }
        let origin = head.headerFields[.origin]
        if let origin, origins.contains(origin) { return }
        let authority = head.authority ?? ""
        let isOwn = origin == nil || origin == "http://\(authority)" || origin == "https://\(authority)"
        let site = head.headerFields[.secFetchSite]?.lowercasedASCII
        guard isOwn, site == nil || site == "same-origin" || site == "none" else {
            throw Problem(.originNotAllowed, "The request comes from a page of another site.")
        }
    }

    /// Refuses a POST that a page of another site can make a browser send without a preflight: one that is not JSON.
    /// This holds with a token too, because a proxy may add it for whoever has signed in there.
    func checkPost(of head: ServerRequest.Head) throws(Problem) {
        let type = head.headerFields[.contentType].flatMap { MediaType($0)?.essence }
        guard head.method == .post, type != "application/json" else { return }
        try checkSite(of: head)
    }

    /// Adds the header fields that let a page read the response.
    func addFields(to fields: inout HTTPFields, for request: HTTPFields, isPreflight: Bool, methods: String) {
        guard !isOff else { return }
        if allowsAny {
            // The response is the same for every origin, so it needs no `Vary`.
            fields[.accessControlAllowOrigin] = "*"
        } else {
            fields.addVary("Origin")
            guard let origin = request[.origin], origins.contains(origin) else { return }
            fields[.accessControlAllowOrigin] = origin
        }
        fields[.accessControlExposeHeaders] = Self.exposed
        guard isPreflight else { return }
        fields[.accessControlAllowMethods] = methods
        fields[.accessControlAllowHeaders] = Self.allowed
        fields[.accessControlMaxAge] = "600"
    }

    private static let allowed = [
        "authorization", "content-type", "idempotency-key", "if-match", "if-none-match", "if-range", "last-event-id",
        "prefer",
        "range", "traceparent", "x-request-id",
    ].joined(separator: ", ")

    private static let exposed = [
        "location", "etag", "link", "retry-after", "content-disposition", "content-range", "accept-ranges",
        "content-length", "repr-digest", "preference-applied", "idempotency-replayed", "x-request-id", "accept-patch",
    ].joined(separator: ", ")
}

/// The header fields that proxies, load balancers, tunnels and content delivery networks add to a request, and clients
/// do not.
///
/// Fields that clients also send are not listed: `X-Request-Id`, `traceparent`, `X-Amzn-Trace-Id`.
enum ProxyFields {
    private static let names: Set<String> = [
        // RFC 7239; RFC 9110 section 7.6.3; RFC 8586; RFC 8470; RFC 9440; Edge Architecture Specification.
        "forwarded", "via", "cdn-loop", "early-data", "client-cert", "client-cert-chain", "surrogate-capability",
        // nginx and ingress controllers, by their customary settings.
        "x-real-ip", "x-scheme", "x-host", "x-proxyuser-ip",
        // Apache, Pound, HAProxy, WebLogic, Zeus and others.
        "client-ip", "x-client-ip", "x-cluster-client-ip", "forwarded-for", "proxy-client-ip", "wl-proxy-client-ip",
        "x-remote-addr", "x-remote-ip", "x-varnish", "x-coming-from", "x-proxy-id",
        // Microsoft's IIS and gateways.
        "front-end-https", "x-arr-log-id", "x-arr-ssl", "x-rewrite-url", "x-appgw-trace-id",
        // Content delivery networks and hosting.
        "true-client-ip", "akamai-origin-hop", "fly-client-ip", "x-vercel-id", "do-connecting-ip",
        "x-nf-client-connection-ip",
    ]

    private static let prefixes = [
        "x-forwarded", "x-original-", "x-envoy-", "cf-", "fastly-", "x-azure-", "x-appengine-", "tailscale-",
        "x-akamai-", "x-ms-forwarded-",
    ]

    /// Whether the request has at least one of these fields.
    static func areIn(_ fields: HTTPFields) -> Bool {
        fields.contains { field in
            let name = field.name.canonicalName
            return names.contains(name) || prefixes.contains { name.hasPrefix($0) }
        }
    }
}
