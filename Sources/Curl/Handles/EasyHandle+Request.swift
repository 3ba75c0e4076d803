import CLibcurl
import URLs

extension EasyHandle {
    /// Sets every option of a transfer except its callbacks.
    func configure(for request: TransferRequest) throws(CurlError) {
        try keepErrorText()
        try disableImplicitBehaviour()
        try setTarget(request)
        try setHeaderLines(try headerLines(request))
        try setLimits(request)
        if !request.scheme.traits.headerFields { try setFileOptions(request) }
    }

    /// Disables libcurl's implicit behaviour: redirects, proxies, stored passwords and decoding.
    private func disableImplicitBehaviour() throws(CurlError) {
        try set(.followRedirects, false)
        try set(.maxRedirects, 0)
        try set(.failOnHTTPError, false)
        try set(.http09Allowed, false)
        try set(.contentDecoding, false)
        // The chunks are decoded by ``ChunkDecoder``.
        try set(.transferDecoding, false)
        try set(.proxy, "")
        try set(.noProxy, "")
        try set(.netrc, shim_netrc_ignored)
        try set(.noSignal, true)
        try set(.tcpKeepAlive, true)
        try set(.verifyPeer, true)
        try set(.verifyHost, 2)
        // TLS versions before 1.2 are not negotiated (RFC 8996), even if the system's OpenSSL allows them.
        try set(.sslVersion, shim_tls_version_1_2)
        try set(.proxySSLVersion, shim_tls_version_1_2)
        try set(.pathAsIs, true)
        try set(.quickExit, true)
    }

    private func setTarget(_ request: TransferRequest) throws(CurlError) {
        // libcurl rejects an empty list or an unknown scheme.
        guard request.allowedSchemes.contains(request.scheme) else {
            throw CurlError(.curl(Int32(CURLE_UNSUPPORTED_PROTOCOL.rawValue)), message: "the scheme is not allowed")
        }
        let allowed = request.url.upgradesToTLS ? [.ftp] : request.allowedSchemes
        let schemes = allowed.map(\.rawValue).sorted().joined(separator: ",")
        try set(.allowedSchemes, schemes)
        try set(.allowedRedirectSchemes, schemes)
        try set(.url, request.url.fetchedText)
        if request.scheme.traits.headerFields { try setRequestTarget(request) }
        if let range = request.range, request.scheme.traits.headerFields { try set(.range, range.text) }
        try setMethod(request)
        if let file = request.certificateAuthorityFile { try set(.certificateAuthorityFile, file) }
        if let certificate = request.clientCertificate {
            try set(.clientCertificateFile, certificate.file)
            try set(.clientKeyFile, certificate.keyFile)
        }
        if request.needsFreshConnection { try set(.freshConnection, true) }
        if request.ignoresContentLength {
            try set(.ignoreContentLength, true)
            try set(.forbidReuse, true)
        }
        if let proxy = request.proxy { try setProxy(proxy, request) }
        if let credentials = request.credentials { try setCredentials(credentials, request.scheme) }
        switch request.versionPreference {
        case .negotiated: try set(.httpVersion, shim_http_version_2_tls)
        case .http1: try set(.httpVersion, shim_http_version_1_1)
        case .http3:
            try set(.httpVersion, shim_http_version_3)
            // The streams of a shared connection would share its rate, and libcurl reads none of them while one waits.
            try set(.freshConnection, true)
            try set(.forbidReuse, true)
        }
    }

    /// libcurl 8.22 changes percent-encoded bytes to upper case, which a server may see as another URL: a signature
    /// covers the text. A digest login covers libcurl's text.
    private func setRequestTarget(_ request: TransferRequest) throws(CurlError) {
        guard request.credentials?.scheme != .digest else { return }
        // A proxy gets the whole URL, unless it opens a tunnel.
        let isForwarded = request.scheme == .http && request.proxy?.address.hasPrefix("http") == true
        try set(.requestTarget, isForwarded ? request.url.text : request.url.target)
    }

    private func setMethod(_ request: TransferRequest) throws(CurlError) {
        switch request.method {
        case .get: break
        case .post(let body): try setBody(body)
        case .options: try set(.customMethod, "OPTIONS")
        case .named(let name, let body):
            if let body { try setBody(body) }
            try setMethodName(name)
        case .upload(let name, let body):
            try validateUpload(request)
            try setUploadSize(body.count)
            if name != "PUT" { try setMethodName(name) }
        }
    }

    private func setMethodName(_ name: String) throws(CurlError) {
        guard name.utf8.allSatisfy(\.isTokenCharacter), !name.isEmpty else {
            throw CurlError(.badHeader, message: "the method \(name.printable) cannot be sent")
        }
        try set(.customMethod, name)
    }

    /// libcurl would make of a range a `Content-Range`, and of `Transfer-Encoding` a body in chunks. Two lengths would
    /// let the peer find another end of the request (RFC 9112, section 11.2).
    private func validateUpload(_ request: TransferRequest) throws(CurlError) {
        guard request.scheme.traits.headerFields else {
            throw CurlError(.badHeader, message: "only HTTP has uploads; the scheme is \(request.scheme.rawValue)")
        }
        guard request.range == nil else { throw CurlError(.badHeader, message: "an upload cannot have a range") }
        let own = ["Content-Length", "Transfer-Encoding", "Expect"]
        if let field = request.headers.first(where: { own.contains(where: $0.isNamed) }) {
            throw CurlError(.badHeader, message: "an upload has its own \(field.name.printable)")
        }
    }

    private func setCredentials(
        _ credentials: TransferRequest.Credentials,
        _ scheme: URLScheme
    ) throws(CurlError) {
        // C would end the text at a NUL, and libcurl ends a user at the first colon. On an FTP control connection a
        // line break would begin another command.
        let texts = [credentials.user, credentials.password]
        guard !credentials.user.utf8.contains(UInt8(ascii: ":")),
            texts.allSatisfy({ text in !text.utf8.contains { $0 == 0 || (!scheme.traits.headerFields && $0 < 0x20) } })
        else { throw CurlError(.badHeader, message: "the credentials cannot be sent") }
        switch credentials.scheme {
        // libcurl 8.22 sends no empty user, so the field is one of the request.
        case .basic where scheme.traits.headerFields && credentials.isEmpty: return
        case .basic: try set(.httpAuthentication, shim_auth_basic)
        case .digest:
            try set(.httpAuthentication, shim_auth_digest)
            // libcurl counts the request after a challenge, and one after a stale nonce, as redirects.
            try set(.maxRedirects, 2)
        }
        try set(.user, credentials.user)
        try set(.password, credentials.password)
    }

    private func setProxy(_ proxy: TransferRequest.Proxy, _ request: TransferRequest) throws(CurlError) {
        try set(.proxy, proxy.address)
        try set(.suppressConnectHeaders, true)
        if let file = request.certificateAuthorityFile { try set(.proxyCertificateAuthorityFile, file) }
        if proxy.isPrivate {
            try set(.freshConnection, true)
            try set(.forbidReuse, true)
        }
        guard let user = proxy.user else { return }
        try set(.proxyAuthentication, shim_auth_basic)
        try set(.proxyUser, user)
        try set(.proxyPassword, proxy.password ?? "")
    }

    private func headerLines(_ request: TransferRequest) throws(CurlError) -> [String] {
        var lines: [String] = []
        for field in request.headers {
            guard field.isSendable else {
                throw CurlError(.badHeader, message: "the header field \(field.name.printable) cannot be sent")
            }
            lines.append(field.line)
        }
        if request.scheme.traits.headerFields, let credentials = request.credentials, credentials.isEmpty {
            // The encoded form of `:` (RFC 7617, section 2).
            lines.append("Authorization: Basic Og==")
        }
        if request.method.hasBody {
            // A name without a value prevents libcurl from adding this field.
            lines.append("Expect:")
            let hasType = request.headers.contains { $0.isNamed("Content-Type") }
            if !hasType { lines.append("Content-Type:") }
        }
        return lines
    }

    private func setLimits(_ request: TransferRequest) throws(CurlError) {
        try set(.connectTimeoutMilliseconds, request.connectTimeout.wholeMilliseconds)
        if let timeout = request.totalTimeout { try set(.timeoutMilliseconds, timeout.wholeMilliseconds) }
        if let floor = request.lowSpeedLimit {
            try set(.lowSpeedBytesPerSecond, floor.bytesPerSecond)
            try set(.lowSpeedSeconds, max(1, Int(clamping: floor.window.components.seconds)))
        }
        if let lifetime = request.connectionLifetime {
            try set(.connectionLifetimeSeconds, max(1, Int(clamping: lifetime.components.seconds)))
        }
        // The loop closes idle connections (``IdleConnections``). Without a value libcurl would use none that was idle
        // for 118 seconds.
        try set(.longestIdleSeconds, 86_400)
        try set(.receiveBufferBytes, min(max(request.receiveBufferBytes, 1 << 10), 10 << 20))
    }
}

extension TransferRequest.Credentials {
    /// Whether they are those of the basic scheme with neither a user nor a password.
    fileprivate var isEmpty: Bool { scheme == .basic && user.isEmpty && password.isEmpty }
}

extension TransferRequest.Method {
    fileprivate var hasBody: Bool {
        switch self {
        case .post, .named(_, .some), .upload: true
        case .get, .options, .named(_, nil): false
        }
    }
}

extension Duration {
    /// The duration in milliseconds: at least 1, because libcurl reads 0 as "no limit"; at most what libcurl can store.
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let bounded = min(max(seconds, 0), 1_000_000_000)
        return max(1, Int(bounded) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
