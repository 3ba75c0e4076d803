import Core
import Curl
import TransferRules

/// The route to an origin, and the failures of a proxy on it.
extension EngineSettings {
    /// - Throws: `destination_forbidden` if the download chooses a proxy without permission, or if the URL contains a
    ///   forbidden address and a proxy is used. Without a proxy, addresses are checked when connecting. The service
    ///   cannot see the addresses to which a proxy connects.
    func route(for request: TransferRequest, choice: ProxyChoice?) throws(AttemptInterruption) -> ProxyRules.Route {
        let (url, scheme) = (request.url, request.scheme)
        // The choice was checked when the download was created, but the settings may have changed since.
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
    /// Sets the proxy, and the addresses to which libcurl may connect.
    ///
    /// - Parameter isLed: Whether a public origin led to the URL.
    mutating func setRoute(_ route: ProxyRules.Route, _ destinations: DestinationPolicy, isLed: Bool = false) {
        switch route {
        case .direct:
            let scheme = scheme
            allowsAddress = { destinations.allows($0, scheme: scheme, isLed: isLed) }
        case .proxy(let server, let isClients):
            proxy = Proxy(address: server.shown, user: server.user, password: server.password, isPrivate: isClients)
            let scheme = server.policyScheme
            // A proxy configured by the operator may have any address.
            allowsAddress = { !isClients || destinations.allows($0, scheme: scheme) }
        }
    }
}

extension TransferFailure {
    /// The failure for a response sent by the proxy itself; nil for a response of the origin.
    init?(_ head: ResponseHead, _ route: ProxyRules.Route) {
        guard case .proxy(let server, _) = route, head.status == 407 else { return nil }
        self.init(DownloadError(.authRequired, message: "The proxy \(server) asks for credentials.", httpStatus: 407))
    }

    /// Maps a libcurl error to a failure of the proxy; nil if the origin may have failed.
    init?(_ error: CurlError, _ route: ProxyRules.Route) {
        guard case .proxy(let server, _) = route else { return nil }
        if error.code == .destinationRefused {
            guard IPAddress(urlHost: server.host) != nil else {
                // The same failure as for a name that does not exist: see ``init(hiding:host:isChecked:)``.
                self.init(
                    DownloadError(.proxyFailed, message: Self.unreachable(server), curlCode: 5)
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
            // The origin was not reached. The same holds after a lost connection if no tunnel was opened.
            var classes: Set<CurlResultClass> = [.unresolvedProxy, .unreachable, .unreachableProxy]
            if !error.hasSentRequest { classes.formUnion([.noResponse, .lostSending, .lostReceiving]) }
            guard case .curl(let code) = error.code, classes.contains(CurlResultClass(code: Int(code))) else {
                return nil
            }
            self.init(
                DownloadError(.proxyFailed, message: Self.unreachable(server), curlCode: Int(code))
            )
        }
    }

    private static func unreachable(_ server: ProxyServer) -> String {
        "The proxy \(server) could not be reached, or did not lead to the origin."
    }
}

extension TransferRequest {
    /// Sets the trusted authorities, and the client certificate for the host.
    mutating func setCertificates(_ settings: EngineSettings) {
        certificateAuthorityFile = settings.certificateAuthorityFile
        clientCertificate = settings.clientCertificates.first { $0.isFor(url.host) }.map {
            ClientCertificate(file: $0.certificateFile, keyFile: $0.keyFile)
        }
    }
}
