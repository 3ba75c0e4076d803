import Core
import Curl
import TransferRules

/// The way to an origin, and what a proxy on it does.
extension EngineSettings {
    /// - Throws: `destination_forbidden` if the download chooses a proxy and may not, or if the URL names a forbidden
    ///   address. Without a proxy addresses are checked at the connection; behind a proxy the service does not see
    ///   them.
    func route(for request: TransferRequest, choice: ProxyChoice?) throws(AttemptInterruption) -> ProxyRules.Route {
        let (url, scheme) = (request.url, URLScheme(request.url.scheme))
        // It was asked when the download was made, under the settings of that time.
        guard choice == nil || proxies.allowsClients else {
            throw .failed(DownloadError(.destinationForbidden, message: "Downloads may not choose their proxy."))
        }
        let route = proxies.route(to: url.host, choice: choice)
        guard route == .direct || scheme.abilities.proxies else {
            throw .failed(
                DownloadError(.protocolForbidden, message: "Files of \(scheme) are not fetched through a proxy.")
            )
        }
        guard route != .direct, let address = IPAddress(urlHost: url.host) else { return route }
        guard destinations.validate(address, port: url.port, scheme: scheme) == nil else {
            throw .failed(
                DownloadError(.destinationForbidden, message: "The destination's address is not allowed.")
            )
        }
        return route
    }
}

extension TransferRequest {
    /// Sets the proxy, and who is spoken to.
    mutating func setRoute(_ route: ProxyRules.Route, _ destinations: DestinationPolicy) {
        switch route {
        case .direct:
            let scheme = URLScheme(url.scheme)
            allowsAddress = { destinations.allows($0, scheme: scheme) }
        case .proxy(let server, let isClients):
            proxy = Proxy(address: server.shown, user: server.user, password: server.password, isPrivate: isClients)
            let scheme = server.policyScheme
            // The operator's own proxy may have any address.
            allowsAddress = { !isClients || destinations.allows($0, scheme: scheme) }
        }
    }
}

extension TransferFailure {
    /// What an answer of a proxy in the origin's place means; nil for an answer of the origin.
    init?(_ head: ResponseHead, _ route: ProxyRules.Route) {
        guard case .proxy(let server, _) = route, head.status == 407 else { return nil }
        self.init(DownloadError(.authRequired, message: "The proxy \(server) asks for credentials.", httpStatus: 407))
    }

    /// The failure of a transfer, if the proxy failed; nil if it may be the origin.
    init?(_ error: CurlError, _ route: ProxyRules.Route) {
        guard case .proxy(let server, _) = route else { return nil }
        if error.code == .destinationRefused {
            guard IPAddress(urlHost: server.host) != nil else {
                // The same failure as of a name that does not exist: see init(hiding:host:isAsked:).
                self.init(
                    DownloadError(.proxyFailed, message: Self.unreachable(server), transportCode: 5)
                )
                cause = "the address of the proxy \(server) is not allowed"
                return
            }
            self.init(
                DownloadError(.destinationForbidden, message: "The address of the proxy \(server) is not allowed.")
            )
        } else if error.proxyStatus == 407 || error.isProxyLoginRefused {
            self.init(
                DownloadError(
                    .authRequired,
                    message: "The proxy \(server) asks for credentials.",
                    httpStatus: error.proxyStatus
                )
            )
        } else if let status = error.proxyStatus {
            self.init(
                DownloadError(
                    .proxyFailed,
                    message: "The proxy \(server) answered with status \(status).",
                    httpStatus: status
                )
            )
        } else {
            // CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_PROXY: the origin was not reached.
            // CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR: the same if no tunnel was opened.
            let codes: Set<Int32> = error.hasSentRequest ? [5, 7, 97] : [5, 7, 97, 52, 55, 56]
            guard case .curl(let code) = error.code, codes.contains(code) else { return nil }
            self.init(
                DownloadError(.proxyFailed, message: Self.unreachable(server), transportCode: Int(code))
            )
        }
    }

    private static func unreachable(_ server: ProxyServer) -> String {
        "The proxy \(server) could not be reached, or did not lead to the origin."
    }
}

extension TransferRequest {
    /// Sets the trusted certificates, and the client certificate for the host.
    mutating func setCertificates(_ settings: EngineSettings) {
        certificateAuthorityFile = settings.certificateAuthorityFile
        clientCertificate = settings.clientCertificates.first { $0.isFor(url.host) }.map {
            ClientCertificate(file: $0.certificateFile, keyFile: $0.keyFile)
        }
    }
}
