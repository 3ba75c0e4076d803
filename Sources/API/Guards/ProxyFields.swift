import HTTPTypes

/// The header fields that proxies, load balancers, tunnels and content delivery networks add to a request, and clients
/// do not.
///
/// A field that programs send by themselves is not among them: `X-Request-Id`, `traceparent`, `X-Amzn-Trace-Id`.
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

    /// Whether one of them is there.
    static func areIn(_ fields: HTTPFields) -> Bool {
        fields.contains { field in
            let name = field.name.canonicalName
            return names.contains(name) || prefixes.contains { name.hasPrefix($0) }
        }
    }
}
